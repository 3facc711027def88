import { z } from "zod";
import { defineTool, type Tool } from "../../kernel/index.ts";
import { ScriptError } from "./errors.ts";
import type { ScriptLimits } from "./limits.ts";
import { runProgram } from "./run-program.ts";

const defaultTimeoutMs = 60_000;
const longestTimeoutMs = 600_000;
const maxCodeChars = 100_000;

const parameters = z.strictObject({
  code: z.string().min(1).max(maxCodeChars).describe("The program: JavaScript, or TypeScript without enums"),
  timeout: z
    .int()
    .min(1)
    .max(longestTimeoutMs)
    .optional()
    .describe("Milliseconds after which it is stopped, with the calls it makes; 60000 by default"),
});

/** Runs a program that calls tools. It can do nothing else, and each of its calls is judged by itself. */
export function runScriptTool(limits: ScriptLimits): Tool {
  let running = 0;
  return defineTool({
    name: "run_script",
    title: "Run a script of calls",
    description:
      "Run a short program that calls tools, and return only its result: for many calls, or for results too long to read. " +
      "await tools.NAME({…}) gives the tool's data, else its text; a failed call throws an Error with code and message. " +
      'Example: const text = await tools.grep({ pattern: "TODO" }); return text.split("\\n").length. ' +
      'Any name: tools.call("server__tool", {…}). Calls are permitted or refused as if you made each yourself. ' +
      `At most ${limits.calls} of them, ${limits.callsAtOnce} at once with Promise.all. ` +
      "The result is what return gives, or the last expression, as JSON; console.log is shown too. " +
      "There is nothing else: no files, network, timers or imports. Names and parameters: search_tools, describe_tools.",
    category: "system",
    parameters,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    verify: "look at what the tools that it called were to change",
    timeoutMs: ({ timeout }) => timeout ?? defaultTimeoutMs,
    composes: true,
    effects: () => [],
    async execute({ code }, context) {
      if (running >= limits.scripts) {
        throw new ScriptError(
          "SCRIPT_MANY",
          `Cannot run the script: ${running} scripts run already, which are the most; try again when one has ended, and call tools themselves in a script, not scripts`,
        );
      }
      running++;
      try {
        return await runProgram(code, limits, context);
      } finally {
        running--;
      }
    },
  });
}

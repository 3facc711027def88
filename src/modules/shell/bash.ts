import { z } from "zod";
import { defineTool, type Tool } from "../../kernel/index.ts";
import { toBashContent } from "./bash-content.ts";
import { isOutside } from "./confinement.ts";
import { foreseeCommand } from "./foresee-command.ts";
import { checkFolder, runCommand } from "./run-command.ts";
import type { ShellServices } from "./services.ts";

const defaultTimeoutMs = 30_000;
const longestTimeoutMs = 600_000;

const parameters = z.strictObject({
  command: z.string().min(1).max(1_000_000).describe("The command line, as bash reads it"),
  cwd: z.string().min(1).optional().describe("The folder to run it in; by default the working folder"),
  timeout: z
    .int()
    .min(1)
    .max(longestTimeoutMs)
    .optional()
    .describe("Milliseconds after which it is stopped; 30000 by default"),
  hosts: z
    .array(z.string().min(1).max(300))
    .max(20)
    .optional()
    .describe("Hosts it needs to reach, such as registry.npmjs.org; there is no network otherwise"),
  unconfined: z
    .boolean()
    .optional()
    .describe(
      "Run without the sandbox, for what it makes impossible (docker, services, other folders); always asks",
    ),
  description: z.string().max(1000).optional().describe("What it is for, in a few words; has no effect"),
});

/** Runs a command line. Each call starts afresh: no folder, variable or background job lasts until the next. */
export function bashTool(services: ShellServices): Tool {
  return defineTool({
    name: "bash",
    title: "Run a command",
    description:
      "Run a command line in bash and return its stdout, stderr and exit code. Each call starts afresh, has no " +
      "terminal and no input, and ends with everything it started: background processes are stopped too. " +
      "Where there is a sandbox, it can change only the working folders, sees no other file of the user, and has no network; " +
      "its /tmp is seen by the session's commands alone, and lasts as long as the session. " +
      "An exit code other than 0 is a result, not a failure.",
    category: "system",
    parameters,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    verify:
      "with commands that only read, look at what it was to change: files, a branch, the state of a service",
    timeoutMs: ({ timeout }) => timeout ?? defaultTimeoutMs,
    effects: ({ command, cwd = ".", hosts = [], unconfined = false }, context) =>
      foreseeCommand(services, { line: command, cwd, hosts, unconfined }, context),
    check: ({ cwd = "." }, context) => checkFolder(services.workspace, cwd, context),
    async execute({ command, cwd = ".", hosts = [], unconfined = false }, context) {
      const result = await runCommand(services, { command, cwd, hosts, unconfined }, context);
      return toBashContent(result, { unconfined: unconfined || isOutside(context) });
    },
  });
}

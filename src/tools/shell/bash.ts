import { z } from "zod";
import { codeOf, tailOf } from "../../base/index.ts";
import { HostError } from "../../host/index.ts";
import { defineTool, type Tool, type ToolContext } from "../../kernel/index.ts";
import { toBashContent } from "./bash-content.ts";
import { boundsOf, confine, connectEffects, decidedHosts } from "./confinement.ts";
import { PacedOutput } from "./paced-output.ts";
import { deadlineHint, tailChars } from "./sandbox-hints.ts";
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
  const { processes, workspace, environment } = services;
  return defineTool({
    name: "bash",
    title: "Run a command",
    description:
      "Run a command line in bash and return its stdout, stderr and exit code. Each call starts afresh, has no " +
      "terminal and no input, and ends with everything it started: background processes are stopped too. " +
      "Where there is a sandbox, it can change only the working folders, sees no other file of the user, and has no network. " +
      "An exit code other than 0 is a result, not a failure.",
    category: "system",
    parameters,
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    timeoutMs: ({ timeout }) => timeout ?? defaultTimeoutMs,
    async effects({ command, cwd, hosts = [], unconfined = false }, context) {
      // Said before anybody is asked anything.
      const isolation = unconfined ? "outside" : await processes.isolation();
      const { path, within } = workspace.locate(cwd ?? ".", context);
      const { analyseCommand, commandEffects } = await import("./command/index.ts");
      const effects = await commandEffects(analyseCommand(command), { workspace, context, cwd: path });
      return [
        ...confine(effects, isolation),
        ...(await connectEffects(hosts, services, context)),
        { kind: "read", target: path, within },
      ];
    },
    async execute({ command, cwd, hosts = [], unconfined = false }, context) {
      const folder = enterFolder(workspace, cwd ?? ".", context);
      using output = new PacedOutput((text) => context.output(text));
      let end = "";
      try {
        const result = await processes.runShell(command, {
          cwd: folder,
          environment: withoutChangers(environment.childEnvironment(context)),
          signal: context.signal,
          onOutput(_name, text) {
            end = tailOf(end + text, tailChars);
            output.push(text);
          },
          ...(unconfined ? { unconfined } : { bounds: boundsOf(context, decidedHosts(hosts, context)) }),
        });
        return toBashContent(result, { unconfined });
      } catch (error) {
        const isConfined = !unconfined && (await processes.isolation())?.level === "bubblewrap";
        if (codeOf(error) === "TOOL_TIMEOUT" && isConfined && hosts.length === 0)
          output.push(deadlineHint(command, end));
        throw error;
      }
    },
  });
}

/** Variables by which programs that only read would start others, or read what their arguments do not name. */
const changers: ReadonlySet<string> = new Set(["RIPGREP_CONFIG_PATH", "POSIXLY_CORRECT", "MAGIC"]);

function withoutChangers(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !changers.has(name)));
}

/** The folder's true path, once the host agrees that this call may look into it. */
function enterFolder(workspace: ShellServices["workspace"], cwd: string, context: ToolContext): string {
  if (workspace.status(cwd, context)?.type === "folder") return workspace.locate(cwd, context).path;
  throw new HostError(
    "PROCESS_FOLDER",
    `Cannot run a command in "${cwd}": there is no such folder; name one that exists`,
  );
}

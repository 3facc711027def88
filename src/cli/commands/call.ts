import { type Command, InvalidArgumentError } from "commander";
import type { App } from "../../app/index.ts";
import { type CallContext, findExitCode } from "../../kernel/index.ts";
import type { Asker } from "../../mcp/index.ts";
import { approverFor, isStartedByAgent } from "../asking/terminal-approver.ts";
import { readCallArguments } from "../calls/arguments.ts";
import { CallDisplay } from "../calls/display.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { exitCodes, toExitCode } from "../exit-codes.ts";
import { awaitServers } from "../mcp/await-servers.ts";
import { argumentOption } from "../options/argument.ts";
import { modeOverride } from "../options/mode.ts";
import { type Overrides, pickOverrides } from "../options/overrides.ts";
import { profileOverride } from "../options/profile.ts";
import type { Session } from "../session.ts";

interface CallOptions extends Overrides {
  readonly arg: readonly string[];
  readonly yes?: boolean;
  readonly timeout?: number;
  readonly task?: string;
  readonly exitCode?: boolean;
}

export function defineCall(command: Command, session: Session): void {
  command
    .argument("[tool]", "its name, as `haft tools` lists it")
    .argument("[json]", "the arguments as one JSON object; - reads them from standard input")
    .addOption(
      argumentOption(
        "one argument, typed as the tool wants it; dots reach into objects, a list takes several, key:=json is JSON",
      ),
    )
    .option("-y, --yes", "answer yes, for this one call, to what would ask; rules that deny still deny")
    .option(
      "--timeout <ms>",
      "give it less time than it would have (default: the tool's own deadline)",
      toMilliseconds,
    )
    .addOption(profileOverride())
    .addOption(modeOverride())
    .option("--task <id>", "write the call down as part of this task (default: none)")
    .option(
      "--exit-code",
      "leave with the exit code of the command that the tool ran: bash, and tools in Markdown",
    )
    .action(async (name: string | undefined, json: string | undefined, options: CallOptions) => {
      await call(session, name, json, options);
    });
  addExamples(command, [
    [`haft call grep '{"pattern":"TODO","path":"."}'`, "search the files below this folder"],
    ["haft call read --arg path=README.md --arg limit=20", "the first 20 lines of a file"],
    ["haft call bash --arg command='git status' --yes", "run a command without being asked"],
    ["haft call bash --arg command='npm test' --exit-code", "leave with what `npm test` left with"],
    ["cat edit.json | haft call edit -", "arguments too long for a command line"],
  ]);
  command.addHelpText(
    "after",
    "\nThe result goes to standard output; progress, questions and faults go to standard error.\n`haft help exit-codes` lists what it leaves with, with --exit-code where no command ran.",
  );
}

async function call(
  session: Session,
  name: string | undefined,
  json: string | undefined,
  options: CallOptions,
): Promise<void> {
  const app = await session.openApp({
    ...pickOverrides(options),
    sources: "once",
    ...(await askerFor(session)),
  });
  session.warn(app.loaded.warnings);
  await awaitServers(session, app, name);
  if (name === undefined) {
    const names = app.registry.list().map((tool) => tool.name);
    throw new CliError("CLI_USAGE", `Cannot call a tool: name one of ${names.join(", ")}`, {
      details: { names },
    });
  }
  const text = json === "-" ? await readStandardInput(session) : json;
  const params = readCallArguments(text, options.arg, app.registry.getSchema(name) ?? {});
  const display = session.asJson ? undefined : new CallDisplay(session.terminal);
  const context: CallContext = {
    ...app.context,
    origin: { channel: "cli" },
    signal: session.signal,
    ...(options.task !== undefined && { taskId: options.task }),
    ...(options.timeout !== undefined && { timeoutMs: options.timeout }),
    ...(await approverFor(session, options.yes === true)),
    ...(display !== undefined && { onUpdate: (update) => display.update(update) }),
    onAwaited: sayOnceWhatIsAwaited(session),
  };
  const result = await app.executor.run(name, params, context);
  if (display === undefined) session.terminal.json(result);
  else {
    display.finish(result);
    if (!result.success && result.details?.["approver"] === null && !(await isStartedByAgent())) {
      session.terminal.err("With --yes this one call is allowed\n");
    }
    if (!result.success && result.code === "TOOL_NOT_FOUND") await tellWhereabouts(session, app, name);
  }
  session.exitCode = result.success ? exitCodes.ok : toExitCode(result.code);
  if (options.exitCode === true) session.exitCode = findExitCode(result) ?? session.exitCode;
}

/** Tells a caller without a terminal, once, why nothing happens. */
function sayOnceWhatIsAwaited({ terminal }: Session): (questionId: string) => void {
  let isSaid = false;
  return (questionId) => {
    if (isSaid) return;
    isSaid = true;
    terminal.err(`Waiting for a person, who is asked in another terminal (question ${questionId})\n`);
  };
}

/** A tool that its owner has not accepted, or that can't be used, is there all the same to whoever looks for it. */
async function tellWhereabouts({ terminal }: Session, app: App, name: string): Promise<void> {
  const { findWhereabouts } = await import("../../app/index.ts");
  for (const { where, message, remedy } of await findWhereabouts(app, name)) {
    const said = remedy ?? where;
    const tail = message.includes(said) ? "" : remedy === undefined ? ` (${where})` : `; ${remedy}`;
    terminal.err(`${terminal.foreignError(message + tail)}\n`);
  }
}

async function askerFor({ terminal }: Session): Promise<{ readonly asker?: Asker }> {
  if (!terminal.interactive) return {};
  const { createTerminalAsker } = await import("../asking/terminal-asker.ts");
  return { asker: createTerminalAsker(terminal) };
}

async function readStandardInput(session: Session): Promise<string> {
  const { readAll } = await import("../calls/stdin-text.ts");
  if (session.terminal.streams.stdin.isTTY === true) {
    session.terminal.err("Type the arguments as JSON, then Ctrl-D on a line of its own\n");
  }
  return readAll(session.terminal.streams.stdin, session.signal);
}

function toMilliseconds(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("give a whole number of milliseconds of at least 1.");
}

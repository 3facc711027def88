import { CodedError, getErrorMessage, nearestNames } from "../base/index.ts";
import { commands, findCommand } from "./command-table.ts";
import { CliError } from "./errors.ts";
import { type ExitCode, exitCodes, toExitCode } from "./exit-codes.ts";
import { listenForInterrupt } from "./interrupt.ts";
import { runCommand } from "./program.ts";
import { Session } from "./session.ts";
import { type Streams, Terminal } from "./terminal.ts";
import { wrapText } from "./text/display-width.ts";
import { growYoungGeneration } from "./young-generation.ts";

export interface CommandLineOptions {
  readonly streams: Streams;
  readonly version: string;
  /** The folder of the package. */
  readonly root: string;
  /** The program and first arguments that start this haft again; printed in client configurations. */
  readonly program: readonly [string, ...string[]];
}

/**
 * Runs what was typed after `haft` and resolves with the exit code when everything is written and closed. Never
 * rejects: a fault is one line on standard error and, with `--json`, an object on standard output too.
 */
export async function runCommandLine(args: readonly string[], options: CommandLineOptions): Promise<number> {
  const terminal = new Terminal(options.streams);
  const interrupt = listenForInterrupt(terminal);
  const { version, root, program } = options;
  const session = new Session({ terminal, interrupt, version, root, program });
  let exitCode: number;
  try {
    await dispatch(args, session);
    exitCode = session.exitCode;
  } catch (thrown) {
    exitCode = report(thrown, session);
  }
  try {
    await session.close();
  } catch (thrown) {
    exitCode = Math.max(exitCode, report(thrown, session));
  }
  await terminal.flush();
  interrupt.end();
  return exitCode;
}

async function dispatch(args: readonly string[], session: Session): Promise<void> {
  const { terminal } = session;
  const { name, rest } = splitCommand(args);
  if (name === undefined || (name === "help" && rest.length === 0)) {
    const { renderOverview } = await import("./help.ts");
    terminal.out(renderOverview(terminal));
    return;
  }
  if (name === "help" && rest[0] === "exit-codes") {
    const { renderExitCodes } = await import("./help.ts");
    terminal.out(renderExitCodes(terminal));
    return;
  }
  const wanted = name === "help" ? (rest[0] as string) : name;
  const entry = findCommand(wanted);
  if (entry === undefined) throw unknownCommand(wanted);
  if (entry.isServer !== true) growYoungGeneration();
  await runCommand(entry, name === "help" ? [...rest.slice(1), "--help"] : rest, session);
}

const valued = new Set(["--folder", "--home"]);

/** The options that every command has may stand before its name too. */
function splitCommand(args: readonly string[]): { name: string | undefined; rest: string[] } {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === "-h" || arg === "--help") return { name: "help", rest: args.slice(at + 1) };
    if (valued.has(arg)) at++;
    else if (!arg.startsWith("-")) return { name: arg, rest: [...args.slice(0, at), ...args.slice(at + 1)] };
  }
  if (args.length === 0) return { name: undefined, rest: [] };
  throw new CliError(
    "CLI_USAGE",
    `Cannot run "haft ${args.join(" ")}": it names no command; \`haft help\` lists them`,
  );
}

function unknownCommand(name: string): CliError {
  const names = commands.filter(({ hidden }) => hidden !== true).map((entry) => entry.name);
  const nearest = nearestNames(name, names);
  const hint =
    nearest.length > 0
      ? `did you mean ${nearest.map((other) => `"${other}"`).join(" or ")}`
      : "`haft help` lists them";
  return new CliError("CLI_COMMAND_UNKNOWN", `Cannot find a command "${name}"; ${hint}`, {
    details: { nearest },
  });
}

function report(thrown: unknown, session: Session): ExitCode {
  const { terminal } = session;
  const coded = thrown instanceof CodedError ? thrown : undefined;
  const code = coded?.code ?? "INTERNAL";
  const message = getErrorMessage(thrown);
  const lines = wrapText(`haft: ${terminal.foreignError(message)} [${code}]`, terminal.errorWidth);
  const label = terminal.paintError("red", "haft:");
  terminal.err(`${lines.join("\n").replace(/^haft:/, label)}\n`);
  if (session.common.verbose === true) terminal.err(`${terminal.foreignError(formatTrace(thrown))}\n`);
  else if (coded === undefined) terminal.err("This is a fault of haft itself; --verbose shows where\n");
  if (session.asJson) {
    terminal.json({
      error: { code, message, ...(coded?.details !== undefined && { details: coded.details }) },
    });
  }
  return coded === undefined ? exitCodes.internal : toExitCode(code);
}

/** The stack of a fault and of what caused it. */
function formatTrace(thrown: unknown): string {
  const traces: string[] = [];
  for (
    let fault = thrown;
    fault !== undefined && traces.length < 8;
    fault = fault instanceof Error ? fault.cause : undefined
  ) {
    traces.push(fault instanceof Error ? (fault.stack ?? fault.message) : getErrorMessage(fault));
  }
  return traces.join("\ncaused by: ");
}

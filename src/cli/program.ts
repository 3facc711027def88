import { Command, CommanderError, Option } from "commander";
import type { CommandEntry } from "./command-entry.ts";
import { CliError } from "./errors.ts";
import { commonOptions, formatNarrowItem, helpWidth, narrowColumns, wrapHelp } from "./help.ts";
import type { CommonOptions, Session } from "./session.ts";

/** One command, ready to parse what follows its name. */
export async function createCommand(entry: CommandEntry, session: Session): Promise<Command> {
  const { terminal } = session;
  const command = new Command(`haft ${entry.name}`)
    .description(`${entry.summary}.`)
    .helpOption("-h, --help", "show this help")
    .helpCommand(false)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(wrapHelp(text, terminal.width)),
      writeErr: () => {},
      getOutHelpWidth: () => helpWidth(terminal),
      outputError: () => {},
    })
    .configureHelp({
      styleTitle: (text) => terminal.paint("bold", text),
      ...(helpWidth(terminal) < narrowColumns && { formatItem: formatNarrowItem }),
    });
  const define = await entry.load();
  define(command, session);
  for (const { flags, description } of commonOptions) {
    command.addOption(new Option(flags, description).helpGroup("Everywhere:"));
  }
  command.hook("preAction", () => {
    session.common = command.opts<CommonOptions>();
  });
  return command;
}

/**
 * Parses and runs one command.
 *
 * @throws {CliError} CLI_USAGE for what the command does not take.
 */
export async function runCommand(
  entry: CommandEntry,
  args: readonly string[],
  session: Session,
): Promise<void> {
  const command = await createCommand(entry, session);
  // A fault of parsing is shown in the form that was asked for, even where parsing did not get that far.
  session.args = args;
  session.common = { json: args.includes("--json"), verbose: args.includes("--verbose") };
  try {
    await command.parseAsync([...args], { from: "user" });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return;
    const message = thrown.message.replace(/^error: /, "").replace(/\s*\n\s*\((.*)\)$/s, "; $1");
    const typed = typedCommand(command, args);
    throw new CliError(
      "CLI_USAGE",
      `Cannot run "${typed}": ${message.replace(/[?.]$/, "")}; \`${typed} --help\` shows what it takes`,
      { cause: thrown },
    );
  }
}

/** The command that was typed, with the name of a command of a command. */
function typedCommand(command: Command, [word]: readonly string[]): string {
  const sub = command.commands.find((one) => one.name() === word);
  return sub === undefined ? command.name() : `${command.name()} ${sub.name()}`;
}

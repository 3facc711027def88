import { decidesWhatRuns } from "../../host/index.ts";
import type { CallContext, CheckContext, Effect, ToolContent, ToolContext } from "../../kernel/index.ts";
import { toBashContent } from "./bash-content.ts";
import { fixedArgument, quoteArgument } from "./command/syntax/word.ts";
import { isOutside } from "./confinement.ts";
import { foreseeCommand } from "./foresee-command.ts";
import { type CommandRun, checkFolder, runCommand } from "./run-command.ts";
import type { ShellServices } from "./services.ts";

export interface CommandOutcome {
  readonly content: ToolContent;
  /** The exit code; 128 and the signal's number for a command that a signal ended. */
  readonly exitCode: number;
}

/** Judges and runs the commands of other tools just as `bash` judges and runs its own. */
export interface Commands {
  /** @throws {HostError} as `bash` does, before anybody is asked. */
  effects(run: CommandRun, context: CallContext): Promise<readonly Effect[]>;
  /** Throws what a command would fail to start with, as `bash` does before anybody is asked. */
  check(run: Pick<CommandRun, "cwd">, context: CheckContext): void;
  run(run: CommandRun, context: ToolContext): Promise<CommandOutcome>;
}

/** Makes what runs the commands of tools in files: decided, confined and shown as the commands of `bash` are. */
export function createCommands(services: ShellServices): Commands {
  return {
    async effects({ command, environment = {}, ...run }, context) {
      const line = formatLine(command, environment);
      const effects = await foreseeCommand(services, { line, ...run }, context);
      return effects.map(({ argument: _argument, ...effect }) => effect);
    },
    check: ({ cwd }, context) => checkFolder(services.workspace, cwd, context),
    async run(run, context) {
      const result = await runCommand(services, run, context);
      return {
        content: toBashContent(result, { unconfined: run.unconfined || isOutside(context) }),
        exitCode: result.exitCode,
      };
    },
  };
}

/** The line by which bash would run the same: with the variables that make of a program another one. */
function formatLine(command: CommandRun["command"], environment: Readonly<Record<string, string>>): string {
  const changes = Object.entries(environment).filter(([name]) => decidesWhatRuns(name));
  const assignments = changes.map(([name, value]) => `${name}=${quote(value)}`).join(" ");
  if (typeof command === "string") return assignments === "" ? command : `export ${assignments}; ${command}`;
  const [program, ...args] = command;
  return [assignments, quoteProgram(program), ...args.map(quote)].filter((word) => word !== "").join(" ");
}

function quote(text: string): string {
  return quoteArgument(fixedArgument(text));
}

/** A name that bash would read as something else in the first place is quoted. */
function quoteProgram(name: string): string {
  return /^[\w./+-]+$/.test(name) && !reserved.has(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

const reserved: ReadonlySet<string> = new Set(
  "if then else elif fi for in do done while until case esac select function time coproc".split(" "),
);

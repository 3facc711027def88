import { cutTail, getErrorCode } from "../../base/index.ts";
import {
  type FileAccess,
  HostError,
  isWorkingFolder,
  keepsPromises,
  type ProcessResult,
  ProgramSearch,
} from "../../host/index.ts";
import type { CheckContext, Effect, ToolContext } from "../../kernel/index.ts";
import type { ChangedRepository } from "../files/index.ts";
import { decidedHosts, decidedPromises, isOutside, toProcessBounds } from "./confinement.ts";
import { PacedOutput } from "./paced-output.ts";
import { deadlineHint, tailChars } from "./sandbox-hints.ts";
import type { ShellServices } from "./services.ts";
import { changedRepository, keepingObjects } from "./undoable-git.ts";

export interface CommandRun {
  /** A line as bash reads it, or a program and its arguments, which no shell reads. */
  readonly command: string | readonly [program: string, ...args: string[]];
  readonly cwd: string;
  readonly hosts: readonly string[];
  readonly unconfined: boolean;
  /** Variables beside those that every command of this agent has. @default none */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Bytes kept of each output. A result is copied on its way to the store, so its memory is a multiple of this. */
const maxOutputBytes = 4 * 1024 * 1024;

/** Runs a command as far as this call was decided, and shows what it puts out while it runs. */
export async function runCommand(
  { processes, workspace, environment, undo }: ShellServices,
  { command, cwd, hosts, unconfined: asked, environment: added = {} }: CommandRun,
  context: ToolContext,
): Promise<ProcessResult> {
  const unconfined = asked || isOutside(context);
  const folder = enterFolder(workspace, cwd, context);
  await checkCode(workspace, context);
  using output = new PacedOutput((text) => context.output(text));
  let end = "";
  const repository = changedRepository(context, folder);
  const variables = { ...withoutChangers(environment.childEnvironment(context)), ...added };
  const options = {
    cwd: folder,
    environment: withJudgedPrograms(repository ? keepingObjects(variables) : variables, folder, context),
    signal: context.signal,
    maxOutputBytes,
    onOutput(_name: string, text: string) {
      end = cutTail(end + text, tailChars);
      output.push(text);
    },
    ...(unconfined
      ? { unconfined }
      : {
          bounds: toProcessBounds(context, decidedHosts(hosts, context)),
          promises: decidedPromises(context),
        }),
  };
  const recordChanges = await beginRecord(undo, context, repository);
  try {
    return await (typeof command === "string"
      ? processes.runShell(command, options)
      : processes.run(command, options));
  } catch (error) {
    const isConfined = !unconfined && keepsPromises((await processes.isolation())?.level, ["no network"]);
    if (getErrorCode(error) === "TOOL_TIMEOUT" && isConfined && hosts.length === 0)
      output.push(deadlineHint(typeof command === "string" ? command : command.join(" "), end));
    throw error;
  } finally {
    await recordChanges();
  }
}

/**
 * Records what is there before a command that may change it. What was let pass because it can be undone does not run
 * where it can't.
 *
 * @throws {HostError} SNAPSHOT_FAILED
 */
async function beginRecord(
  undo: ShellServices["undo"],
  context: ToolContext,
  repository: ChangedRepository | undefined,
): Promise<() => Promise<void>> {
  const mayChange = context.effects.some(({ kind, within }) => kind === "run" && !within);
  const begun =
    mayChange && undo !== undefined ? await undo.begin(context, repository) : "nothing keeps snapshots";
  if (typeof begun === "function") return begun;
  if (!context.effects.some(({ undoable, confined }) => undoable && confined)) return async () => {};
  throw new HostError(
    "SNAPSHOT_FAILED",
    `Cannot run the command: it was decided as one that can be undone, and ${begun}; make the call again, for a decision on that`,
  );
}

/**
 * What was asked about is what runs: code that was exchanged since ends the call.
 *
 * @throws {HostError} FILE_CHANGED
 */
async function checkCode(workspace: ShellServices["workspace"], context: ToolContext): Promise<void> {
  const decided = context.effects.flatMap(({ code = [] }) => code);
  if (decided.length === 0) return;
  const { digestOfCode } = await import("./command/index.ts");
  for (const { path, digest } of decided) {
    if ((await digestOfCode(path, workspace, context)) === digest) continue;
    throw new HostError(
      "FILE_CHANGED",
      `Cannot run "${path}": it is not what it was when this call was decided; make the call again`,
      { details: { path } },
    );
  }
}

/** Variables by which programs that only read would start others, or read what their arguments do not name. */
const changers: ReadonlySet<string> = new Set(["RIPGREP_CONFIG_PATH", "POSIXLY_CORRECT", "MAGIC"]);

function withoutChangers(variables: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !changers.has(name)));
}

/**
 * What was judged to look only, or to be routine, was judged by the machine's own programs: none of the project's can take
 * their place, even one that is made in the meantime. A line that somebody or a rule let run code finds all of them.
 */
function withJudgedPrograms(
  variables: Readonly<Record<string, string>>,
  folder: string,
  { effects, allowedPaths }: ToolContext,
): Readonly<Record<string, string>> {
  const runs = effects.filter(({ kind }) => kind === "run");
  if (!runs.every(({ within, routine }) => within || routine === true)) return variables;
  const { pathOfMachine } = new ProgramSearch({
    path: variables["PATH"] ?? "",
    writable: [...allowedPaths, folder],
  });
  return { ...variables, PATH: pathOfMachine };
}

/** Throws what would make a command fail to start, as far as the call may look before anybody is asked. */
export function checkFolder(workspace: ShellServices["workspace"], cwd: string, context: CheckContext): void {
  const { path, within } = workspace.locate(cwd, context);
  const effect: Effect = { kind: "read", target: path, within };
  if (context.allows(effect))
    enterFolder(workspace, cwd, { ...context, allowedPaths: context.allowedPaths ?? [], effects: [effect] });
}

/** The folder's true path, once the host agrees that this call may look into it. */
function enterFolder(workspace: ShellServices["workspace"], cwd: string, context: FileAccess): string {
  const { path } = workspace.locate(cwd, context);
  if (isWorkingFolder(path, context) || workspace.status(cwd, context)?.type === "folder") return path;
  throw new HostError(
    "PROCESS_FOLDER",
    `Cannot run a command in "${cwd}": there is no such folder; name one that exists`,
  );
}

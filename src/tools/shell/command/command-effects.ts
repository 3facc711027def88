import { HostError, secretGlobs, type Workspace } from "../../../host/index.ts";
import type { CallContext, Effect } from "../../../kernel/index.ts";
import type { CommandAnalysis, CommandPart, FileUse } from "./analysis.ts";
import { downloadRun, isDownloadRun, type Risk, riskOfPart } from "./risk.ts";
import { quoteArgument } from "./word.ts";

/** What of the host is needed to say what a command line touches. */
export type Places = Pick<Workspace, "locate" | "status" | "find">;

export interface CommandPlace {
  readonly workspace: Places;
  readonly context: CallContext;
  /** The folder that the line starts in, as the call names it. */
  readonly cwd: string;
}

/** The argument of `bash` that holds the line. */
const argument = "command";

/**
 * The effects of a command line: one `run` for each part, and what it does to the files that it names. What can't be
 * told, and files of which nobody may know, become parts that ask.
 */
export async function commandEffects(analysis: CommandAnalysis, place: CommandPlace): Promise<Effect[]> {
  const effects = new Map<string, Effect>();
  const together = isDownloadRun(analysis.parts) ? [downloadRun] : [];
  const add = (effect: Effect) => effects.set(JSON.stringify(effect), effect);
  for (const part of analysis.parts) add(runEffect(part, together));
  if (analysis.parts.length === 0) add({ kind: "run", target: "true", within: true, argument });
  for (const use of analysis.files) {
    for (const path of pathsOf(use, analysis.folders, place.cwd)) {
      for (const effect of await fileEffects(use, path, place)) add(effect);
    }
  }
  return Array.from(effects.values());
}

/** @param together what is risky only because of the parts beside it; said of the one that can't be read */
function runEffect(part: CommandPart, together: readonly Risk[]): Effect {
  const risks = part.opaque === undefined ? [riskOfPart(part)] : [riskOfPart(part), ...together];
  const concerns = risks
    .filter(({ level }) => level !== "low")
    .map(({ level, reasons }) => `${level} risk: ${reasons.join(", ")}`);
  return {
    kind: "run",
    target: part.text,
    within: part.readOnly,
    argument,
    ...(part.opaque !== undefined && { opaque: true as const, unclear: part.opaque }),
    ...(part.aliases.length > 0 && { aliases: part.aliases }),
    ...(concerns.length > 0 && { risk: concerns.join("; ") }),
  };
}

/** Where a path of the line may lead: one for each folder that the line may be in. */
function pathsOf({ path, home }: FileUse, folders: readonly string[], cwd: string): string[] {
  if (home || path.startsWith("/")) return [path];
  return folders.map((folder) => {
    const below = folder === "" ? `./${path}` : `${folder}/${path}`;
    return below.startsWith("/") || folder.startsWith("~") ? below : `${cwd}/${below}`;
  });
}

async function fileEffects(use: FileUse, path: string, place: CommandPlace): Promise<Effect[]> {
  try {
    const { path: target, within } = place.workspace.locate(path, place.context);
    if (use.kind === "append" || use.kind === "overwrite") return writeEffects(use, { target, within });
    const read: Effect = { kind: "read", target, within, argument };
    return within && use.kind !== "names" && (await holdsUnseen(use, target, place))
      ? [read, unreadable(use, "files below it may hold secrets")]
      : [read];
  } catch (error) {
    if (error instanceof HostError) return [unreadable(use, error.message)];
    throw error;
  }
}

/** A shell's writing can't be undone, so it asks as a part of its own; outside, and of secrets, as a write too. */
function writeEffects(use: FileUse, { target, within }: Pick<Effect, "target" | "within">): Effect[] {
  const sign = use.kind === "append" ? ">>" : ">";
  const text = `${sign} ${textOf(use)}`;
  const risk = use.kind === "append" ? {} : { risk: "medium risk: replaces what is in the file" };
  return [
    { kind: "write", target, within, argument },
    { kind: "run", target: text, within: false, argument, ...risk },
  ];
}

function unreadable(use: FileUse, unclear: string): Effect {
  return { kind: "run", target: `< ${textOf(use)}`, within: false, opaque: true, argument, unclear };
}

function textOf({ path, home }: FileUse): string {
  return quoteArgument({ text: path, fixed: true, ...(home && { home }) });
}

const lookMs = 1000;
const secretNames = secretGlobs.map((glob) => glob.slice("**/".length));
const secrets = `**/{${secretNames.join(",")}}`;

/** Whether reading all below a folder would show files that are asked for one by one. */
async function holdsUnseen(
  use: FileUse,
  target: string,
  { workspace, context }: CommandPlace,
): Promise<boolean> {
  const access = {
    allowedPaths: context.allowedPaths ?? [],
    effects: [],
    signal: context.signal ?? new AbortController().signal,
  };
  const status = workspace.status(target, access);
  if (status?.type !== "folder") return false;
  if (use.kind === "read") return true;
  const found = await workspace.find(target, access, {
    pattern: secrets,
    limit: 1,
    gitignore: false,
    maxMs: lookMs,
  });
  return found.total > 0 || found.incomplete !== undefined;
}

import { HostError, secretGlobs } from "../../../host/index.ts";
import type { Effect } from "../../../kernel/index.ts";
import type { CommandAnalysis, CommandPart, FileUse } from "./analysis.ts";
import { pathsOf } from "./paths.ts";
import type { CommandPlace } from "./place.ts";
import { downloadRun, isDownloadRun, type Risk, riskOfPart } from "./risk.ts";
import { RoutineJudge } from "./routine-judge.ts";
import { quoteArgument } from "./word.ts";

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
  const judge = new RoutineJudge(analysis, place);
  for (const part of analysis.parts) {
    const risks = part.opaque === undefined ? [riskOfPart(part)] : [riskOfPart(part), ...together];
    add(runEffect(part, risks, together.length === 0 && (await judge.isRoutine(part, risks))));
  }
  if (analysis.parts.length === 0) add({ kind: "run", target: "true", within: true, argument });
  for (const use of analysis.files) {
    for (const path of pathsOf(use, analysis.folders, place.cwd)) {
      for (const effect of await fileEffects(use, path, place, judge)) add(effect);
    }
  }
  return Array.from(effects.values());
}

function runEffect(part: CommandPart, risks: readonly Risk[], routine: boolean): Effect {
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
    ...(routine && { routine }),
  };
}

async function fileEffects(
  use: FileUse,
  path: string,
  place: CommandPlace,
  judge: RoutineJudge,
): Promise<Effect[]> {
  try {
    const { path: target, within } = place.workspace.locate(path, place.context);
    if (use.kind === "append" || use.kind === "overwrite")
      return writeEffects(use, { target, within }, judge.makesFile(use, path));
    const read: Effect = { kind: "read", target, within, argument };
    return within && use.kind !== "names" && (await holdsUnseen(use, target, place))
      ? [read, unreadable(use, "files below it may hold secrets")]
      : [read];
  } catch (error) {
    if (error instanceof HostError) return [unreadable(use, error.message)];
    throw error;
  }
}

/**
 * A shell's writing can't be undone, so it asks as a part of its own; outside, and of secrets, as a write too.
 * @param routine nothing that is there is written to
 */
function writeEffects(
  use: FileUse,
  { target, within }: Pick<Effect, "target" | "within">,
  routine: boolean,
): Effect[] {
  const sign = use.kind === "append" ? ">>" : ">";
  const text = `${sign} ${textOf(use)}`;
  const risk = use.kind === "append" ? {} : { risk: "medium risk: replaces what is in the file" };
  return [
    { kind: "write", target, within, argument },
    { kind: "run", target: text, within: false, argument, ...risk, ...(routine && { routine }) },
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

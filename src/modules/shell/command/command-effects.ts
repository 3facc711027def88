import { posix } from "node:path";
import { HostError } from "../../../host/index.ts";
import type { Effect } from "../../../kernel/index.ts";
import type { CommandAnalysis, CommandPart, FileUse } from "./analysis.ts";
import { downloadRun, isDownloadRun, type Risk, riskOfPart } from "./judging/risk.ts";
import { RoutineJudge } from "./judging/routine-judge.ts";
import { objectionToMatches, type PatternKind } from "./matched-files.ts";
import { ProjectPrograms } from "./programs/project-programs.ts";
import { secretsBelow, toFileAccess } from "./secrets-below.ts";
import { namedCode } from "./syntax/named-code.ts";
import { resolvePaths } from "./syntax/paths.ts";
import type { CommandPlace } from "./syntax/place.ts";
import { quoteArgument } from "./syntax/word.ts";
import { changesTemporary, copiedFiles, isTemporaryUse } from "./temporary-files.ts";

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
  const addFile = async (use: FileUse) => {
    if (isTemporaryUse(use, analysis, place)) {
      if (isWriting(use))
        add({ kind: "run", target: textOfWriting(use), within: false, routine: true, argument });
      return;
    }
    for (const path of resolvePaths(use, analysis.folders, place.cwd)) {
      for (const effect of await fileEffects(use, path, place, judge)) add(effect);
    }
  };
  const ownPrograms = new ProjectPrograms(analysis, place);
  for (const found of analysis.parts) {
    const part = ownPrograms.demote(found);
    if (changesTemporary(part, analysis, place)) {
      add(runEffect(part, [], undefined));
      for (const use of copiedFiles(part)) await addFile(use);
      continue;
    }
    const risks = part.opaque === undefined ? [riskOfPart(part)] : [riskOfPart(part), ...together];
    const objection =
      together.length > 0 ? "the line runs what it downloads" : await judge.objection(part, risks);
    const code = part.readOnly
      ? []
      : [...(await namedCode(part, analysis.folders, place)), ...(await ownPrograms.listCode(part))];
    add({ ...runEffect(part, risks, objection), ...(code.length > 0 && { code }) });
  }
  for (const part of ownPrograms.unseen) {
    const code = await ownPrograms.listCode(part);
    add({ ...runEffect(part, [], part.against), ...(code.length > 0 && { code }) });
  }
  if (analysis.parts.length === 0) add({ kind: "run", target: "true", within: true, argument });
  for (const use of analysis.files) await addFile(use);
  return Array.from(effects.values());
}

function runEffect(part: CommandPart, risks: readonly Risk[], objection: string | undefined): Effect {
  const readable = part.opaque === undefined && !part.readOnly;
  const concerns = risks
    .filter(({ level }) => level !== "low")
    .map(({ level, reasons }) => `${level} risk: ${reasons.join(", ")}`);
  return {
    kind: "run",
    target: part.text,
    within: part.readOnly || (objection === undefined && part.routine?.looks === true),
    argument,
    ...(part.opaque !== undefined && { opaque: true as const, unclear: part.opaque }),
    ...(part.aliases.length > 0 && { aliases: part.aliases }),
    ...(concerns.length > 0 && { risk: concerns.join("; ") }),
    ...(readable && toMark(objection)),
  };
}

function toMark(objection: string | undefined): Pick<Effect, "routine" | "asks"> {
  return objection === undefined ? { routine: true } : { asks: objection };
}

async function fileEffects(
  use: FileUse,
  path: string,
  place: CommandPlace,
  judge: RoutineJudge,
): Promise<Effect[]> {
  try {
    const { path: target, within } = place.workspace.locate(path, place.context);
    if (isWriting(use)) return writeEffects(use, { target, within }, judge.objectionToWriting(use, path));
    if (isOfPattern(use)) return await matchEffects(use, path, place, judge);
    const read: Effect = { kind: "read", target, within, argument };
    if (use.kind === "names") return [read];
    const unseen = within ? await whatIsUnseen(use, target, place) : unseenOutside(use, read, place);
    return unseen === undefined ? [read] : [read, unreadable(use, unseen)];
  } catch (error) {
    if (error instanceof HostError) return [unreadable(use, error.message)];
    throw error;
  }
}

type PatternUse = FileUse & { readonly kind: PatternKind };

function isOfPattern(use: FileUse): use is PatternUse {
  return use.kind === "matches" || use.kind === "each" || use.kind === "matched-names";
}

/** The effects on the files of the folder that a pattern looks into; nobody has named them by themselves. */
async function matchEffects(
  use: PatternUse,
  path: string,
  place: CommandPlace,
  judge: RoutineJudge,
): Promise<Effect[]> {
  const { path: target, within } = place.workspace.locate(posix.dirname(path), place.context);
  const read: Effect = { kind: "read", target, within, argument };
  if (!within) return [read];
  const objection = judge.changesFiles
    ? "the line itself may change what it stands for"
    : await objectionToMatches(path, place, use.kind);
  return objection === undefined ? [read] : [read, unreadable(use, objection)];
}

/**
 * A shell's writing can't be undone, so it asks as a part of its own; outside, and of secrets, as a write too.
 * @param objection undefined where nothing that is there is written to
 */
function writeEffects(
  use: FileUse,
  { target, within }: Pick<Effect, "target" | "within">,
  objection: string | undefined,
): Effect[] {
  const text = textOfWriting(use);
  const risk = use.kind === "append" ? {} : { risk: "medium risk: replaces what is in the file" };
  return [
    { kind: "write", target, within, argument },
    { kind: "run", target: text, within: false, argument, ...risk, ...toMark(objection) },
  ];
}

function isWriting({ kind }: FileUse): boolean {
  return kind === "append" || kind === "overwrite";
}

function textOfWriting(use: FileUse): string {
  return `${use.kind === "append" ? ">>" : ">"} ${formatUse(use)}`;
}

function unreadable(use: FileUse, unclear: string): Effect {
  return { kind: "run", target: `< ${formatUse(use)}`, within: false, opaque: true, argument, unclear };
}

function formatUse({ path, home }: FileUse): string {
  return quoteArgument({ text: path, fixed: true, ...(home && { home }) });
}

/** The same of a folder outside: a grant for it is none for the secrets in it, and nobody looks there before an answer. */
function unseenOutside(use: FileUse, read: Effect, { workspace, context }: CommandPlace): string | undefined {
  const access = { ...toFileAccess({ context }), effects: [read] };
  const isFolder = workspace.status(read.target, access)?.type === "folder";
  return isFolder ? `every file below ${use.path} is read, secrets among them too` : undefined;
}

/** Why reading all below a folder would show files that are asked for one by one; undefined where it would not. */
async function whatIsUnseen(use: FileUse, target: string, place: CommandPlace): Promise<string | undefined> {
  if (place.workspace.status(target, toFileAccess(place))?.type !== "folder") return undefined;
  const all = `every file below ${use.path} is read`;
  if (use.kind === "read") return all;
  const found = await secretsBelow(target, place, { asGit: false });
  if (found?.length === 0) return undefined;
  const what =
    found === undefined
      ? "and there are too many to look for secrets among them"
      : `${found.join(" and ")} among them`;
  return `${all}, ${what}; name a folder without them, or use the tool grep, which leaves them out`;
}

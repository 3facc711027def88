import { posix } from "node:path";
import type { GitTargets } from "../../host/index.ts";
import type { ToolContext } from "../../kernel/index.ts";
import type { ChangedRepository } from "../files/index.ts";
import type { CommandPart } from "./command/analysis.ts";
import { FileLookup } from "./command/file-lookup.ts";
import { type GitChange, isBranch, readGitChange } from "./command/programs/git-changes.ts";
import { findPlainRepository } from "./command/programs/plain-repository.ts";
import { resolvePaths } from "./command/syntax/paths.ts";
import type { UndoableLine } from "./undoable-line.ts";

/**
 * Says whether all that git does in a line can be undone: `undefined` if the line is not one of those that are known, a
 * phrase with the reason if the repository is not.
 */
export async function judgeGitLine({
  analysis,
  place,
  undo,
}: UndoableLine): Promise<"undoable" | { readonly objection: string } | undefined> {
  const targets = readTargets(analysis.parts);
  const writes = analysis.files.some(({ kind }) => kind === "append" || kind === "overwrite");
  if (targets === undefined || writes || undo === undefined) return undefined;
  const lookup = new FileLookup(place);
  const roots = new Set<string>();
  for (const folder of resolvePaths({ path: ".", home: false }, analysis.folders, place.cwd)) {
    const repository = await findPlainRepository(folder, place, lookup);
    if (repository?.own === undefined) return undefined;
    roots.add(posix.dirname(repository.own));
  }
  const texts = analysis.parts.map(({ text }) => text);
  if (branchesNamed(texts).length > mostNames) return { objection: "the line names too many branches" };
  const [root] = roots;
  if (root === undefined || roots.size > 1) return undefined;
  const objection =
    undo.objection(place.context) ?? (await undo.objectionToGit(root, targets, place.context));
  return objection === undefined ? "undoable" : { objection };
}

/** Commits that a line goes to; undefined if it does anything but look and change what a snapshot and the state of git hold. */
function readTargets(parts: readonly CommandPart[]): GitTargets | undefined {
  const changes: GitChange[] = [];
  for (const { words, readOnly, routine } of parts) {
    if (readOnly || routine?.looks === true) continue;
    const change = readGitChange(words);
    if (change === undefined) return undefined;
    changes.push(change);
  }
  const stashes = changes.flatMap(({ stash }) => stash ?? []);
  // What such a word stands for, another command of the line may change.
  if (changes.length > 1 && changes.some(({ relative }) => relative)) return undefined;
  if (stashes.some((place) => place !== "latest") && changes.some((change) => change.stashes))
    return undefined;
  return {
    branches: changes.flatMap(({ branches = [] }) => branches),
    revisions: changes.flatMap(({ revisions = [] }) => revisions),
    stashes,
  };
}

const mostNames = 512;

/** Words of git commands that may be branches; one may follow its option at once, or stand in quotes. */
function branchesNamed(commands: readonly string[]): readonly string[] {
  const words = commands
    .filter((text) => text.startsWith("git "))
    .flatMap((text) => text.replaceAll("'", "").split(" ").slice(2));
  const attached = words.flatMap((word) => /^(?:--create=|-[a-z]*?[cb])(.+)$/.exec(word)?.[1] ?? []);
  return Array.from(new Set([...words, ...attached])).filter(isBranch);
}

/**
 * The repository that a call may change and whose state is to be recorded: that of commands that were let pass because this
 * can be undone. Any word of such a command may be a branch.
 */
export function changedRepository(
  { effects }: Pick<ToolContext, "effects">,
  folder: string,
): ChangedRepository | undefined {
  const commands = effects.filter(({ kind, target }) => kind === "run" && target.startsWith("git "));
  if (!commands.some(({ undoable }) => undoable)) return undefined;
  const names = branchesNamed(commands.map(({ target }) => target)).slice(0, mostNames);
  return { folder, refs: names.map((name) => `refs/heads/${name}`) };
}

/** Settings by which git removes no objects, packs no refs and records no conflicts, of which a snapshot would know nothing. */
const keeping = [
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["rerere.enabled", "false"],
] as const;

/** Variables for a run of git that changes nothing but what is recorded. */
export function keepingObjects(variables: Readonly<Record<string, string>>): Record<string, string> {
  const count = Number(variables["GIT_CONFIG_COUNT"] ?? 0);
  const added = keeping.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${count + at}`, key],
    [`GIT_CONFIG_VALUE_${count + at}`, value],
  ]);
  return { ...variables, GIT_CONFIG_COUNT: String(count + keeping.length), ...Object.fromEntries(added) };
}

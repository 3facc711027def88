import { join } from "node:path";
import { listEntries } from "../sandbox/folder-search.ts";
import { listIndex } from "./git-index-state.ts";
import { type GitTargets, resolveTargets } from "./git-targets.ts";
import { readIndexFile, readStatus } from "./repository-state.ts";
import type { ShadowRepository } from "./shadow-repository.ts";
import { isNoText, UnsupportedRepository } from "./unsupported-repository.ts";

export interface GitPlace {
  /** Root of the work tree. */
  readonly folder: string;
  readonly shadow: ShadowRepository;
  /** Names of folders that snapshots leave out at any depth. */
  readonly leftOut: ReadonlySet<string>;
  /** Absolute paths that snapshots leave out. */
  readonly hidden: ReadonlySet<string>;
}

/** Files by which git knows that something is not finished, keeps more than is recorded, or replaces objects. */
const unfinished =
  "MERGE_HEAD MERGE_AUTOSTASH CHERRY_PICK_HEAD REVERT_HEAD REBASE_HEAD rebase-merge rebase-apply sequencer BISECT_START BISECT_LOG".split(
    " ",
  );
const unrecorded = "rr-cache refs/replace info/grafts info/sparse-checkout reftable".split(" ");
const repositoryMode = 0o160000;
const mostPaths = 50_000;
/** Files at the root of a work tree, or anywhere, by which git may start programs later. */
const starters = /^(\.gitmodules|\.husky|\.githooks)(\/|$)|(^|\/)HEAD$/i;

/**
 * Checks that a snapshot holds every file that git may write or remove in the work tree when it goes to these commits, and
 * that the repository is one whose state can be recorded.
 *
 * @throws {UnsupportedRepository} if not, with the reason
 */
export async function checkGitTargets(
  place: GitPlace,
  targets: GitTargets,
  signal?: AbortSignal,
): Promise<void> {
  const git = join(place.folder, ".git");
  if (readStatus(git)?.isDirectory() !== true || readStatus(join(git, "objects"))?.isDirectory() !== true)
    throw new UnsupportedRepository(`${place.folder} is not the main work tree of a repository`);
  checkFinished(git);
  const { commits, stashes } = resolveTargets(git, targets);
  const tracked = readTracked(git);
  const paths = new Set(tracked);
  for (const commit of await findCommits(place.shadow, commits, stashes, signal))
    for (const path of await listCommit(place.shadow, commit, signal)) {
      if (!paths.has(path) && starters.test(path))
        throw new UnsupportedRepository(`git would make ${path}, by which it may start programs`);
      paths.add(path);
    }
  if (paths.size > mostPaths) throw new UnsupportedRepository("git has too many files here");
  checkCovered(place, paths);
}

/** @throws {UnsupportedRepository} while a merge or the like is not finished */
export function checkFinished(git: string): void {
  if (unfinished.some((name) => readStatus(join(git, name)) !== undefined))
    throw new UnsupportedRepository("git has not finished a merge, a rebase or the like here");
  const found = unrecorded.find((name) => readStatus(join(git, name)) !== undefined);
  if (found !== undefined) throw new UnsupportedRepository(`there is ${join(git, found)}`);
}

/** Paths in the index. */
function readTracked(git: string): readonly string[] {
  const bytes = readIndexFile(git);
  if (bytes === undefined) return [];
  return listIndex(bytes).map(({ name, mode, stage }) => {
    if (stage !== 0) throw new UnsupportedRepository("a merge has left conflicts in the index of git");
    if (mode === repositoryMode) throw submodule(name);
    if (isNoText(name)) throw new UnsupportedRepository("git has a file whose name is no text");
    return name;
  });
}

/** Ids of the commits, with those that a stash consists of. */
async function findCommits(
  shadow: ShadowRepository,
  commits: readonly string[],
  stashes: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const wanted = [...commits, ...stashes, ...stashes.map((id) => `${id}^2`)];
  const untracked = stashes.map((id) => `${id}^3`);
  const names = [...wanted, ...untracked].map((name) => `${name}^{commit}\n`);
  const run = { input: names.join(""), ...(signal && { signal }) };
  const lines = (await shadow.readObjects(["cat-file", "--batch-check"], run)).toString().split("\n");
  const found = new Set<string>();
  for (const [at, name] of [...wanted, ...untracked].entries()) {
    const id = /^([0-9a-f]{40}) commit /.exec(lines[at] ?? "")?.[1];
    if (id !== undefined) found.add(id);
    // A stash has a third commit only if it holds untracked files.
    else if (at < wanted.length) throw new UnsupportedRepository(`git has no commit ${name} here`);
  }
  return found;
}

async function listCommit(
  shadow: ShadowRepository,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const run = signal === undefined ? {} : { signal };
  const listed = await shadow.readObjects(["ls-tree", "-r", "-z", "--full-tree", commit], run);
  return listed
    .toString()
    .split("\0")
    .slice(0, -1)
    .map((line) => {
      const path = line.slice(line.indexOf("\t") + 1);
      if (line.startsWith("160000")) throw submodule(path);
      if (isNoText(path)) throw new UnsupportedRepository("git has a file whose name is no text");
      return path;
    });
}

function submodule(path: string): UnsupportedRepository {
  return new UnsupportedRepository(`${path} is a repository of its own`);
}

/** Files and folders of one folder that git has, by name; null: a file. */
type Names = Map<string, Names | null>;

/** @throws {UnsupportedRepository} if a snapshot leaves out what is, or will be, at one of the paths */
function checkCovered(place: GitPlace, paths: ReadonlySet<string>): void {
  const root: Names = new Map();
  for (const path of paths) {
    const parts = path.split("/");
    const last = parts.pop() ?? "";
    let names: Names | null = root;
    for (const part of parts) {
      let below: Names | null | undefined = names?.get(part);
      if (below === undefined) {
        below = new Map();
        names?.set(part, below);
      }
      names = below;
    }
    // Git may remove the folder, with all that is in it.
    if (names === null || (names.get(last) ?? null) !== null)
      throw new UnsupportedRepository(`git has a file at ${path} and a folder, in different commits`);
    names.set(last, null);
  }
  checkFolder(place, place.folder, root, true);
}

function checkFolder(place: GitPlace, folder: string, names: Names, isThere: boolean): void {
  const present = new Map(isThere ? listEntries(folder).map((entry) => [entry.name, entry]) : []);
  if (folder !== place.folder && present.has(".git"))
    throw new UnsupportedRepository(`${folder} is a repository of its own`);
  for (const [name, below] of names) {
    const path = join(folder, name);
    const entry = present.get(name);
    const isFolder = entry?.isDirectory() === true;
    if (entry !== undefined && !isFolder && !entry.isFile() && !entry.isSymbolicLink())
      throw new UnsupportedRepository(`${path} is neither a file nor a link`);
    if (place.hidden.has(path) || (below !== null && place.leftOut.has(name)))
      throw new UnsupportedRepository(`git has ${path}, which snapshots leave out`);
    // Git removes a folder of ignored files for a file of its own.
    if (below === null && isFolder) throw new UnsupportedRepository(`a folder stands where git has ${path}`);
    if (below !== null) checkFolder(place, path, below, isFolder);
  }
}

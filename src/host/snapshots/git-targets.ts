import { join } from "node:path";
import { readFile, readHead, readPackedRefs, readRef } from "./repository-state.ts";
import { UnsupportedRepository } from "./unsupported-repository.ts";

/** Commits that the git commands of one line go to, as the line names them. */
export interface GitTargets {
  /** Local branches by their short name, which must exist; `-` is the one before. */
  readonly branches: readonly string[];
  /** Commits: HEAD, a branch, a tag, a remote branch or an id, also with `~2` or `^` behind it. */
  readonly revisions: readonly string[];
  /** Places in the list of stashes, the latest is 0; `latest` is the same, if there is one. */
  readonly stashes: readonly (number | "latest")[];
}

const mostLogBytes = 32 * 1024 * 1024;

/**
 * Finds the ids of these commits by the files of the repository, as git would, and of HEAD. Where git has a rule for a name
 * that has several meanings, the name is refused.
 *
 * @throws {UnsupportedRepository} for a name that stands for no commit, or for more than one
 */
export function resolveTargets(
  git: string,
  { branches, revisions, stashes }: GitTargets,
): { readonly commits: readonly string[]; readonly stashes: readonly string[] } {
  const packed = readPackedRefs(git);
  const head = readHead(git);
  const current = head.branch === undefined ? head.text.trim() : readRef(git, head.branch, packed);
  if (current === null) throw new UnsupportedRepository("the branch has no commit yet");
  if (Array.from(packed.keys()).some((name) => name.startsWith("refs/replace/")))
    throw new UnsupportedRepository("git replaces objects here");
  const findRef = (name: string) => readRef(git, name, packed);
  return {
    commits: [
      current,
      ...branches.map((name) => resolveBranch(git, name, findRef)),
      ...revisions.map((name) => resolveRevision(git, name, current, findRef)),
    ],
    stashes: stashes.flatMap((place) => resolveStash(git, place, findRef)),
  };
}

type RefOf = (name: string) => string | null;

function resolveBranch(git: string, name: string, findRef: RefOf): string {
  if (name === "-") {
    const before = previousBranch(git);
    return /^[0-9a-f]{40}$/.test(before) ? before : resolveBranch(git, before, findRef);
  }
  const id = findRef(`refs/heads/${name}`);
  if (id === null) throw new UnsupportedRepository(`git has no branch ${name} here`);
  return id;
}

/** Name of what was checked out before, from the reflog. */
function previousBranch(git: string): string {
  const log = readFile(join(git, "logs", "HEAD"), mostLogBytes)?.toString("utf8") ?? "";
  const moves = log.match(/\tcheckout: moving from (\S+) to \S+$/gm) ?? [];
  const before = /from (\S+) to/.exec(moves.at(-1) ?? "")?.[1];
  if (before === undefined || before === "-" || before.includes(".."))
    throw new UnsupportedRepository("git knows of no branch before this one");
  return before;
}

function resolveRevision(git: string, revision: string, current: string, findRef: RefOf): string {
  const [, name = "", steps = ""] = /^(.*?)((?:~\d*|\^\d?)*)$/.exec(revision) ?? [];
  if (name === "HEAD" || name === "@") return current + steps;
  const places = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].map((start) => start + name);
  const found = [...places, `refs/remotes/${name}/HEAD`].flatMap((place) => {
    if (place === name && readFile(join(git, name), mostLogBytes) === undefined) return [];
    return findRef(place) ?? [];
  });
  if (found.length === 0 && /^[0-9a-f]{7,40}$/.test(name)) return name + steps;
  const [id] = found;
  if (id === undefined) throw new UnsupportedRepository(`git has no commit ${name} here`);
  if (found.length > 1) throw new UnsupportedRepository(`${name} has several meanings for git here`);
  return id + steps;
}

function resolveStash(git: string, place: number | "latest", findRef: RefOf): string[] {
  const latest = findRef("refs/stash");
  if (latest === null && place === "latest") return [];
  const log = readFile(join(git, "logs", "refs", "stash"), mostLogBytes)?.toString("utf8") ?? "";
  const ids = log.split("\n").flatMap((line) => /^[0-9a-f]{40} ([0-9a-f]{40}) /.exec(line)?.[1] ?? []);
  const id = place === "latest" ? latest : ids.at(-1 - place);
  if (id === undefined || id === null) throw new UnsupportedRepository("git has no such stash here");
  return [id];
}

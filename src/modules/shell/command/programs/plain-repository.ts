import { HostError } from "../../../../host/index.ts";
import type { FileLookup } from "../file-lookup.ts";
import type { CommandPlace } from "../syntax/place.ts";

const mostConfigBytes = 64 * 1024;
const mostFolders = 32;

/** Files at the root of a work tree by which git starts programs, or reads another repository's configuration. */
const starters = ["HEAD", ".gitmodules", ".husky", ".githooks"];
const hooks =
  "pre-commit prepare-commit-msg commit-msg post-commit post-checkout post-index-change reference-transaction post-rewrite post-merge pre-merge-commit pre-auto-gc".split(
    " ",
  );

/** A place where git starts nothing. */
export interface PlainRepository {
  /** The folder that git keeps its own in; absent where git finds none. */
  readonly own?: string;
}

/**
 * What git, started in a folder of the workspace, finds there: no repository, or one whose configuration and hooks
 * start nothing; undefined where they may. Both may be changed by what runs in the workspace. Configuration of the
 * user's own is not looked at.
 */
export async function findPlainRepository(
  folder: string,
  place: CommandPlace,
  lookup: FileLookup,
): Promise<PlainRepository | undefined> {
  const { workspace, context } = place;
  const start = workspace.locate(folder, context);
  if (!start.within) return undefined;
  let at = start.path;
  for (let count = 0; count < mostFolders; count++) {
    if (!starters.every((name) => lookup.isAbsent(`${at}/${name}`))) return undefined;
    if (!lookup.isAbsent(`${at}/.git`)) {
      const own = `${at}/.git`;
      const names = ["config.worktree", "commondir", "modules", ...hooks.map((hook) => `hooks/${hook}`)];
      const plain =
        names.every((name) => lookup.isAbsent(`${own}/${name}`)) &&
        (await hasPlainConfig(`${own}/config`, place));
      return plain ? { own } : undefined;
    }
    const parent = at.slice(0, Math.max(1, at.lastIndexOf("/")));
    if (parent === at || !workspace.locate(parent, context).within) return {};
    at = parent;
  }
  return undefined;
}

/** Sections and keys that say how git works, and start nothing. */
const plainLine = new RegExp(
  [
    String.raw`^\s*([#;].*)?$`,
    String.raw`^\s*\[(core|user|init|pull|push|commit|merge|color|advice|branch|remote|rebase)( "[^"\\\]]*")?\]\s*$`,
    String.raw`^\s*(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|autocrlf|eol|symlinks|` +
      String.raw`name|email|defaultbranch|ff|rebase|default|autosetupremote|fetch|remote|merge|ui|vscode-merge-base|` +
      String.raw`github-pr-owner-number|prune|autosquash|autostash|conflictstyle|gpgsign)\s*(=[^\\]*)?$`,
    String.raw`^\s*(url|pushurl)\s*=\s*((https?|ssh|git)://|[\w.-]+@[\w.-]+:|[/.])[^\\]*$`,
  ].join("|"),
  "i",
);

async function hasPlainConfig(path: string, { workspace, context }: CommandPlace): Promise<boolean> {
  const signal = context.signal ?? new AbortController().signal;
  try {
    using file = workspace.open(path, { allowedPaths: context.allowedPaths ?? [], effects: [], signal });
    const text = (await file.bytes(mostConfigBytes, signal)).toString("utf8");
    return text.split("\n").every((line) => plainLine.test(line));
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}

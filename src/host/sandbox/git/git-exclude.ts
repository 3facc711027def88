import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { contains, kindAt } from "../places.ts";

/** What a repository is to pass over: the file that says so, and the lines it lacks. */
export interface Passing {
  readonly info: string;
  readonly file: string;
  readonly lines: readonly string[];
}

/** Longer lists are nobody's, and are left as they are. */
const mostBytes = 1024 * 1024;

/**
 * The places held in each repository: git would take the empty files for the user's own, and commit them.
 * Only where `.git` is a folder, in the nearest folder above that is within what is writable.
 */
export function findPassings(held: readonly string[], writable: readonly string[]): Passing[] {
  const byFolder = new Map<string, string[]>();
  for (const path of held) {
    const folder = findRepository(path, writable);
    if (folder === undefined) continue;
    const lines = byFolder.get(folder) ?? [];
    byFolder.set(folder, [...lines, toPattern(relative(folder, path))]);
  }
  return Array.from(byFolder, ([folder, lines]) => {
    const info = join(folder, ".git", "info");
    return { info, file: join(info, "exclude"), lines };
  });
}

function findRepository(path: string, writable: readonly string[]): string | undefined {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!writable.some((one) => contains(one, folder))) return undefined;
    if (path === join(folder, ".git") || contains(join(folder, ".git"), path)) return undefined;
    if (kindAt(join(folder, ".git")) === "folder") return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Anchored, and nothing in it that git reads as more than itself; a line break, which no pattern can hold, is any character. */
function toPattern(path: string): string {
  const plain = path
    .split(sep)
    .join("/")
    .replace(/[\\*?[\] ]/g, "\\$&")
    .replace(/[\n\r]/g, "?");
  return `/${plain}`;
}

/**
 * The file's bytes with the lines behind them. Undefined where it is no plain file at that very place: a command could
 * have put a link there, to have read what it may not see.
 */
export function withLines({ file, lines }: Passing): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > mostBytes || readlinkSync(`/proc/self/fd/${fd}`) !== file)
      return undefined;
    return Buffer.concat([readFileSync(fd), Buffer.from(`\n${lines.join("\n")}\n`)]);
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

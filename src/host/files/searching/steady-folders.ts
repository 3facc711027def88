import { lstatSync } from "node:fs";
import { dirname } from "node:path";

/** Younger changes may share their time with the next one. */
const settledMs = 1000;

interface SeenFolder {
  readonly device: number;
  readonly inode: number;
  readonly changedAt: number;
}

/**
 * Tells of folders whether a path led to them all the time: each folder on the way was a folder when it was first seen,
 * and has the same number and the same time of change at the end. Who moves a folder away, to put a link in its place,
 * changes that time, and no program can set it back. A file system on which moving leaves the time has no links.
 */
export class SteadyFolders {
  readonly #seen = new Map<string, SeenFolder | undefined>();
  readonly #isSame = new Map<string, boolean>();

  /** Whether nothing on the way to this folder is a link, or was changed in the last second; the first look counts. */
  see(path: string): boolean {
    let seen = this.#seen.get(path);
    if (seen === undefined && !this.#seen.has(path)) {
      const parent = dirname(path);
      seen = parent === path || this.see(parent) ? readFolder(path) : undefined;
      if (seen !== undefined && !(Date.now() - seen.changedAt > settledMs)) seen = undefined;
      this.#seen.set(path, seen);
    }
    return seen !== undefined;
  }

  /** Whether the path has led to the folder that was seen there ever since. To be asked at the end: each answer stays. */
  wasSteady(path: string): boolean {
    let isSame = this.#isSame.get(path);
    if (isSame === undefined) {
      const parent = dirname(path);
      isSame = (parent === path || this.wasSteady(parent)) && isEqual(this.#seen.get(path), readFolder(path));
      this.#isSame.set(path, isSame);
    }
    return isSame;
  }
}

function readFolder(path: string): SeenFolder | undefined {
  // On other systems it is not certain that a folder's time of change tells of its moves.
  if (process.platform !== "linux") return undefined;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return undefined;
  return { device: stats.dev, inode: stats.ino, changedAt: stats.ctimeMs };
}

function isEqual(one: SeenFolder | undefined, other: SeenFolder | undefined): boolean {
  return (
    one !== undefined &&
    one.device === other?.device &&
    one.inode === other.inode &&
    one.changedAt === other.changedAt
  );
}

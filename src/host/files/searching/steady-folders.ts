import { lstatSync } from "node:fs";
import { dirname } from "node:path";

/** Age of a change from which the next one is sure to have another time. */
const settledMs = 1000;

interface SeenFolder {
  readonly device: number;
  readonly inode: number;
  readonly changedAt: number;
}

/**
 * Tells whether a path led to the same folder all the time: each folder on the way was a folder when it was first seen,
 * and has the same inode number and change time at the end. Moving a folder away, to put a link in its place, changes
 * that time, and no program can set it back. File systems on which moving keeps the time have no links.
 */
export class SteadyFolders {
  readonly #seen = new Map<string, SeenFolder | undefined>();
  readonly #isSame = new Map<string, boolean>();

  /**
   * Whether the path to this folder has no link, and no folder changed in the last second. The first answer is kept.
   */
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

  /**
   * Whether the path has led to the folder first seen there ever since. Ask only at the end: the first answer is kept.
   */
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
  // On other systems moving a folder may not change its change time.
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

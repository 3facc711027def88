import { existsSync, mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { ProcessLocks } from "../database.ts";
import { isBusy, isFault } from "../faults.ts";
import type { RawDatabase } from "./sqlite-connection.ts";
import { createFile } from "./sqlite-file.ts";

/** How often a lock is tried again that others remove meanwhile. */
const mostFaults = 25;

type LockFile = Pick<RawDatabase, "exec" | "close">;

/**
 * All locks that this program holds. A lock is a handle of Node, which lets go of it when nothing refers to it any more: a program
 * may drop its store in the middle of a call, and is alive all the same.
 */
const heldHere = new Set<LockFile>();

/** A folder of lock files beside the database, one for each name. */
export class FileLocks implements ProcessLocks {
  readonly #folder: string;
  readonly #open: (path: string) => LockFile;
  readonly #held = new Map<string, LockFile>();

  constructor(folder: string, open: (path: string) => LockFile) {
    this.#folder = folder;
    this.#open = open;
  }

  has(name: string): boolean {
    return this.#held.has(name);
  }

  take(name: string): boolean {
    if (this.#held.has(name)) return true;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#lock(this.#resolvePath(name));
    if (file === undefined) return false;
    heldHere.add(file);
    this.#held.set(name, file);
    return true;
  }

  release(name: string, { remove }: { readonly remove: boolean }): void {
    const file = this.#held.get(name);
    if (file === undefined) return;
    file.close();
    heldHere.delete(file);
    this.#held.delete(name);
    if (!remove) return;
    try {
      rmSync(this.#resolvePath(name), { force: true });
    } catch {
      // Windows removes no file that another has opened to take this lock: it stays, as one that is free.
    }
  }

  clear(name: string): boolean {
    if (this.#held.has(name) || !existsSync(this.#resolvePath(name)) || !this.take(name)) return false;
    this.release(name, { remove: true });
    return true;
  }

  /** Tries a fault again: a file that its last holder removes while it is being locked can't be, and a new one can. */
  #lock(path: string): LockFile | undefined {
    for (let faults = 0; ; faults++) {
      createFile(path);
      const file = this.#open(path);
      try {
        return lockFile(file) ? file : undefined;
      } catch (thrown) {
        if (!isFault(thrown) || faults >= mostFaults) throw thrown;
      }
    }
  }

  #resolvePath(name: string): string {
    return join(this.#folder, basename(name));
  }
}

/** An exclusive SQLite lock is the one file lock that Node has; nothing is ever written to the file. */
function lockFile(file: LockFile): boolean {
  try {
    file.exec("pragma journal_mode = off; begin exclusive");
    return true;
  } catch (thrown) {
    file.close();
    if (isBusy(thrown)) return false;
    throw thrown;
  }
}

/** Locks of a database in memory, which nobody else can see: they are all free. */
export class FreeLocks implements ProcessLocks {
  readonly #held = new Set<string>();

  has(name: string): boolean {
    return this.#held.has(name);
  }

  take(name: string): boolean {
    this.#held.add(name);
    return true;
  }

  release(name: string): void {
    this.#held.delete(name);
  }

  /** No lock outlives the one process that sees it. */
  clear(): boolean {
    return false;
  }
}

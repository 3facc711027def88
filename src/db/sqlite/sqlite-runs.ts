import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { DeadRun, Runs } from "../database.ts";
import { toStoreError } from "../faults.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { createFile } from "./sqlite-file.ts";

/** A lock on a file, held until it is released or its process is gone. */
export interface FileLock {
  release(options: { readonly remove: boolean }): void;
}

/** Takes the lock of `path` at once, or returns undefined where another holds it. */
export type TakeLock = (path: string) => FileLock | undefined;

/**
 * All locks that this program holds. A lock is a handle of Node, which lets go of it when nothing refers to it any more: a program
 * may drop its store in the middle of a call, and is alive all the same.
 */
const locks = new Set<FileLock>();

/** A folder of lock files beside the database, one for each run. */
export class SqliteRuns implements Runs {
  readonly #connection: SqliteConnection;
  readonly #folder: string;
  readonly #takeLock: TakeLock;
  readonly #held = new Map<string, FileLock>();

  constructor(connection: SqliteConnection, folder: string, takeLock: TakeLock) {
    this.#connection = connection;
    this.#folder = folder;
    this.#takeLock = takeLock;
  }

  /** Locks first, so that a run which others can see is a run they can tell to be alive. */
  async begin(id: string, at: number): Promise<void> {
    try {
      if (!this.#held.has(id)) this.#hold(id);
    } catch (thrown) {
      throw toStoreError(thrown, "write", this.#connection.path);
    }
    await this.#connection.transact("runs", () => {
      this.#connection
        .prepare("insert into run (id, first_seq, started_at) select ?, seq + 1, ? from ledger_head")
        .run(id, at);
    });
  }

  async end(id: string, settled: boolean): Promise<void> {
    try {
      if (settled) await this.#delete(id);
    } finally {
      this.#letGo(id, settled);
    }
  }

  takeDead(): readonly DeadRun[] {
    const rows = this.#connection
      .prepare("select id, first_seq from run order by first_seq")
      .all() as RunRow[];
    return rows
      .filter(({ id }) => !this.#held.has(id) && this.#hold(id))
      .map(({ id, first_seq }) => ({ id, firstSeq: first_seq }));
  }

  async forget(run: DeadRun): Promise<void> {
    await this.#delete(run.id);
    this.#letGo(run.id, true);
  }

  release(run: DeadRun): void {
    this.#letGo(run.id, false);
  }

  /** False where another process holds the lock, and so is alive. */
  #hold(id: string): boolean {
    const path = join(this.#folder, basename(id));
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    createFile(path);
    const lock = this.#takeLock(path);
    if (lock === undefined) return false;
    locks.add(lock);
    this.#held.set(id, lock);
    return true;
  }

  #letGo(id: string, remove: boolean): void {
    const lock = this.#held.get(id);
    if (lock === undefined) return;
    lock.release({ remove });
    locks.delete(lock);
    this.#held.delete(id);
  }

  #delete(id: string): Promise<void> {
    return this.#connection.transact("runs", () => {
      this.#connection.prepare("delete from run where id = ?").run(id);
    });
  }
}

interface RunRow {
  readonly id: string;
  readonly first_seq: number;
}

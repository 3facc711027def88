import { type Clock, FairSemaphore, RecentMap } from "../../base/index.ts";
import { StoreError } from "../errors.ts";
import { isBusy, isFull, toStoreError } from "../faults.ts";
import { type RawStatement, SqliteQuery } from "./sqlite-query.ts";

/** The part of `node:sqlite`'s database that the store uses. */
export interface RawDatabase {
  exec(sql: string): void;
  prepare(sql: string): RawStatement;
  close(): void;
}

export interface ConnectionOptions {
  readonly path: string;
  readonly clock: Clock;
  /** How long to wait, in all, for a lock that another process holds. */
  readonly busyTimeoutMs: number;
}

/** Statements kept prepared. The store has some forty; those that a list of filters makes come and go. */
const maxPrepared = 128;

/**
 * One connection, used by one transaction at a time. Waiting for another process never blocks this one: SQLite
 * waits for milliseconds only, and between the attempts the event loop runs.
 */
export class SqliteConnection {
  readonly path: string;
  readonly #raw: RawDatabase;
  readonly #options: ConnectionOptions;
  readonly #turn = new FairSemaphore(1);
  readonly #prepared = new RecentMap<string, RawStatement>(maxPrepared);
  readonly #queries = new RecentMap<string, SqliteQuery>(maxPrepared);
  #closed = false;

  constructor(raw: RawDatabase, options: ConnectionOptions) {
    this.path = options.path;
    this.#raw = raw;
    this.#options = options;
  }

  prepare(sql: string): RawStatement {
    this.#refuseIfClosed();
    let statement = this.#prepared.get(sql);
    if (statement === undefined) this.#prepared.set(sql, (statement = this.#raw.prepare(sql)));
    return statement;
  }

  prepareQuery(sql: string): SqliteQuery {
    this.#refuseIfClosed();
    let query = this.#queries.get(sql);
    if (query === undefined) this.#queries.set(sql, (query = new SqliteQuery(this.#raw.prepare(sql), sql)));
    return query;
  }

  exec(sql: string): void {
    this.#refuseIfClosed();
    this.#raw.exec(sql);
  }

  /** Waits until no other work of this process uses the connection; the caller must `leave`. */
  enter(caller: string): Promise<void> {
    return this.#turn.acquire(caller);
  }

  leave(): void {
    this.#turn.release();
  }

  /** Does `work` in a transaction of its own now, or returns false where that would mean waiting. */
  tryTransact(work: () => void): boolean {
    if (!this.#turn.tryAcquire()) return false;
    try {
      if (!this.#tryBegin()) return false;
      this.#finish(work);
      return true;
    } catch (thrown) {
      throw toStoreError(thrown, "write", this.path);
    } finally {
      this.#turn.release();
    }
  }

  /** Does `work` in a transaction of its own as soon as the connection and the file are free. */
  async transact(caller: string, work: () => void): Promise<void> {
    await this.enter(caller);
    try {
      await this.begin();
      this.#finish(work);
    } catch (thrown) {
      throw toStoreError(thrown, "write", this.path);
    } finally {
      this.leave();
    }
  }

  /** Begins a transaction that holds the write lock. Only within a turn. */
  begin(): Promise<void> {
    return this.untilFree(() => this.#begin());
  }

  commit(): void {
    this.prepare("commit").run();
  }

  /** Gives up what the transaction did. A fault such as a full disk may have ended it already. */
  rollback(): void {
    try {
      this.exec("rollback");
    } catch {
      // There is no transaction any more: nothing is left to give up.
    }
  }

  /** Empties the write-ahead log into the database, as far as that goes: on a full disk, space to go on with. */
  #makeRoom(): void {
    try {
      this.exec("pragma wal_checkpoint(truncate)");
    } catch {
      // The disk is as full as it was, which is what the caller is about to be told.
    }
  }

  /** Repeats `action` while another process holds what it needs, or while it fails in another way that `passes`. */
  async untilFree(action: () => void, passes: (thrown: unknown) => boolean = isBusy): Promise<void> {
    let waitedMs = 0;
    for (let delayMs = 1; ; delayMs = Math.min(delayMs * 2, 50)) {
      try {
        action();
        return;
      } catch (thrown) {
        if (!passes(thrown) || waitedMs >= this.#options.busyTimeoutMs) throw thrown;
      }
      await new Promise<void>((resolve) => void this.#options.clock.after(delayMs, resolve));
      waitedMs += delayMs;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#prepared.clear();
    this.#queries.clear();
    this.#raw.close();
  }

  #tryBegin(): boolean {
    try {
      this.#begin();
      return true;
    } catch (thrown) {
      if (isBusy(thrown)) return false;
      throw thrown;
    }
  }

  #begin(): void {
    this.prepare("begin immediate").run();
  }

  #finish(work: () => void): void {
    try {
      work();
      this.commit();
    } catch (thrown) {
      this.rollback();
      if (isFull(thrown)) this.#makeRoom();
      throw thrown;
    }
  }

  #refuseIfClosed(): void {
    if (!this.#closed) return;
    throw new StoreError("STORE_CLOSED", `Cannot use the store "${this.path}": it is closed; open it again`);
  }
}

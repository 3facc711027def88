import type { Kysely, Transaction } from "kysely";
import type { MaybePromise } from "../base/index.ts";

/** A statement that is written out, as SQLite takes it. */
export interface Statement {
  all(...parameters: readonly StatementValue[]): unknown[];
  get(...parameters: readonly StatementValue[]): unknown;
  run(...parameters: readonly StatementValue[]): unknown;
}

export type StatementValue = null | number | bigint | string | Uint8Array;

export interface WriteOptions {
  /** `full`: it survives the loss of power, whatever the store was opened for. */
  readonly durability?: "normal" | "full";
}

/**
 * What a database engine brings. Everything else in this folder is written once, over this. It knows no table of a
 * feature: whoever asks says which tables there are, see {@link TypedDatabase}.
 */
export interface Database {
  /** Named in error messages. */
  readonly path: string;
  /** Queries for reading. Kysely is loaded at the first call. */
  queries<Known>(): Promise<Kysely<Known>>;
  /**
   * One transaction that holds the write lock from its beginning, so what `work` reads still holds when it writes.
   * Resolves once the change is as durable as the store was opened for, or as `options` say. `work` must use `tx`
   * alone.
   */
  write<T, Known>(work: (tx: Transaction<Known>) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** A statement for what can't wait for Kysely to load. What changes anything is run within {@link transact}. */
  prepare(sql: string): Statement;
  /**
   * Does what `work` does with prepared statements, whole or not at all, while it holds the write lock. `work` may be
   * called again. Synchronous unless it has to wait.
   */
  transact(caller: string, work: () => void): MaybePromise<void>;
  /** Resolves once what was written before survives the loss of power. */
  persist(): Promise<void>;
  /** A mark that differs once {@link write}, or another process, has changed anything: what was read before may be old. */
  changeMark(): Promise<string>;
  /** Locks between the processes that have this database open. */
  readonly locks: ProcessLocks;
  /** What an integrity check of the whole database finds; empty if it is sound. Reads everything. */
  check(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A {@link Database} as a module sees it: with the tables it knows, and no other. */
export interface TypedDatabase<Known> extends Omit<Database, "queries" | "write"> {
  queries(): Promise<Kysely<Known>>;
  write<T>(work: (tx: Transaction<Known>) => Promise<T>, options?: WriteOptions): Promise<T>;
}

/** Locks by name. The operating system takes back the locks of a process however it dies. */
export interface ProcessLocks {
  /** Whether it is held here. */
  has(name: string): boolean;
  /** Takes a lock at once, unless it is held here already; false where another process holds it. */
  take(name: string): boolean;
  /** `remove`: nobody will ask for this lock again. */
  release(name: string, options: { readonly remove: boolean }): void;
  /**
   * Removes the lock of a process that has died. False while its process lives, and for a lock that is not known here:
   * it was removed, or taken on another machine.
   */
  clear(name: string): boolean;
}

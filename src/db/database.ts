import type { Kysely, Transaction } from "kysely";
import type { MaybePromise } from "../base/index.ts";
import type { Tables } from "./tables.ts";

/** The last row of the ledger's chain; `seq` 0 before the first. */
export interface ChainHead {
  readonly seq: number;
  /** SHA-256, hex. */
  readonly hash: string;
}

/** A row with its place in the chain. */
export interface SealedRow extends ChainHead {
  /** The values of every column, in the order of `ledgerColumns`. */
  readonly values: readonly (string | number | null)[];
}

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
  queries<Known = Tables>(): Promise<Kysely<Known>>;
  /**
   * One transaction that holds the write lock from its beginning, so what `work` reads still holds when it writes.
   * Resolves once the change is as durable as the store was opened for, or as `options` say. `work` must use `tx`
   * alone.
   */
  write<T, Known = Tables>(work: (tx: Transaction<Known>) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Appends rows to the ledger, whole or not at all. `seal` is given the head of the chain, which no other process
   * can move until the rows are in; it may be called again. Synchronous unless it has to wait.
   */
  append(seal: (head: ChainHead) => readonly SealedRow[]): MaybePromise<void>;
  /** Resolves once what was written before survives the loss of power. */
  persist(): Promise<void>;
  /** A mark that differs once {@link write}, or another process, has changed anything: what was read before may be old. */
  changeMark(): Promise<string>;
  readonly runs: Runs;
  /** What an integrity check of the whole database finds; empty if it is sound. Reads everything. */
  check(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A {@link Database} as a module sees it: with the tables it knows, and no other. */
export interface TypedDatabase<Known> extends Omit<Database, "queries" | "write"> {
  queries(): Promise<Kysely<Known>>;
  write<T>(work: (tx: Transaction<Known>) => Promise<T>, options?: WriteOptions): Promise<T>;
}

/**
 * Which processes are at work on this database. A run is recorded when its process makes its first call and is
 * alive for as long as that process holds its lock, which the operating system takes back however it dies.
 */
export interface Runs {
  begin(id: string, at: number): MaybePromise<void>;
  /** Ends a run of this process. `settled` false: some of its calls never ended, and the next to open says so. */
  end(id: string, settled: boolean): Promise<void>;
  /** The runs whose process is gone. Each is locked until it is given to `release`, whether or not it is forgotten. */
  takeDead(): MaybePromise<readonly DeadRun[]>;
  forget(run: DeadRun): Promise<void>;
  release(run: DeadRun): void;
}

export interface DeadRun {
  readonly id: string;
  /** No row of the run comes before it. */
  readonly firstSeq: number;
}

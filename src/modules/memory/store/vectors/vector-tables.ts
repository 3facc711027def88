import type { Generated } from "kysely";

/** When an entry's text changed last, by a number that counts up. */
export interface MemoryTextRow {
  readonly number: Generated<number>;
  readonly entry_seq: number;
}

/** A sentence model that made vectors of entries. */
export interface MemoryModelRow {
  /** 0 to 63. */
  readonly id: number;
  readonly name: string;
  readonly dimension: number;
  /** Up to which number of `memory_text` the texts are embedded. */
  readonly embedded: number;
  /** How many there are. */
  readonly vectors: number;
  /** When it was used last, to the day. */
  readonly used_at: number;
  /** Who embeds now, unless its time has passed. */
  readonly worker: string | null;
  readonly worker_until: number | null;
}

/** What a model made of an entry's text, of length 1: each number times `scale`. */
export interface MemoryVectorRow {
  /** The entry's `seq` times 64, and the model's id. */
  readonly id: number;
  /** The chunk that holds its code, in the set of the entry's scope. */
  readonly chunk: number;
  readonly scale: number;
  /** Numbers of 8 bits. */
  readonly vector: Uint8Array;
}

/** The codes of a scope's entries. Its revision grows with every change of a chunk, which then has that revision. */
export interface MemoryCodeSetRow {
  readonly id: Generated<number>;
  readonly model_id: number;
  readonly scope: string;
  readonly revision: number;
}

export interface MemoryCodeRow {
  readonly set_id: number;
  readonly chunk: number;
  readonly revision: number;
  readonly count: number;
  /** So many codes, then so many row numbers of entries, of 64 bits. */
  readonly data: Uint8Array;
}

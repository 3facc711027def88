import { storeSchema } from "../../src/app/store/index.ts";
import { type Clock, systemClock } from "../../src/base/index.ts";
import type { TypedDatabase } from "../../src/db/index.ts";
import { openSqlite } from "../../src/db/sqlite/sqlite.ts";
import type { MemoryEntryRow } from "../../src/modules/memory/store/entries/entry-tables.ts";
import type { Tables } from "../../src/modules/memory/store/tables.ts";
import type { MemoryVectors } from "../../src/modules/memory/store/vectors/memory-vectors.ts";
import type { Embedder } from "../../src/search/index.ts";

export function openDatabase(path = ":memory:"): Promise<TypedDatabase<Tables>> {
  return openSqlite({
    path,
    schema: storeSchema,
    durability: "normal",
    clock: systemClock,
    busyTimeoutMs: 10_000,
  });
}

type Row = Pick<MemoryEntryRow, "text"> & Partial<MemoryEntryRow>;

/** Writes rows as the store of entries does, and notes their texts; returns their numbers. */
export async function addEntries(
  db: TypedDatabase<Tables>,
  vectors: MemoryVectors,
  rows: readonly Row[],
): Promise<readonly number[]> {
  return db.write(async (tx) => {
    const seqs: number[] = [];
    for (const row of rows) {
      const { seq } = await tx
        .insertInto("memory_entry")
        .values({ ...usual, id: `e_${crypto.randomUUID()}`, ...row })
        .returning("seq")
        .executeTakeFirstOrThrow();
      seqs.push(seq);
    }
    await vectors.noteTexts(tx, seqs);
    return seqs;
  });
}

const usual: Omit<MemoryEntryRow, "seq" | "id" | "text"> = {
  scope: "ada",
  kind: "memory",
  label: null,
  tier: "archival",
  category: null,
  permission: "read_write",
  pinned: 0,
  trust: "trusted",
  session: null,
  position: null,
  speaker: null,
  role: null,
  channel: null,
  at: 0,
  valid_from: null,
  valid_to: null,
  superseded_by: null,
  created_at: 0,
  changed_at: 0,
  deleted_at: null,
  revision: 1,
  version: 1,
  last_version: 1,
  depth: 1,
  undo_depth: 0,
  redo_depth: 0,
  change: "create",
  author: "{}",
  changed_by: "{}",
  title: null,
  tags: null,
  names: null,
};

/** A vector of each text that follows from its words alone: texts that share words lie near each other. */
export function vectorOfWords(text: string, dimension: number): Float32Array {
  const vector = new Float32Array(dimension);
  for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
    let state = Buffer.from(word).reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5);
    for (let at = 0; at < dimension; at++) {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
      vector[at] = (vector[at] as number) + (state >> 16) / 32_768;
    }
  }
  return vector;
}

/** Remembers what it was given. */
export class WordEmbedder implements Embedder {
  readonly id: string;
  readonly texts: string[] = [];
  readonly #dimension: number;
  /** Rejects instead. */
  refuse: ((texts: readonly string[]) => unknown) | undefined;

  constructor(id = "words", dimension = 64) {
    this.id = id;
    this.#dimension = dimension;
  }

  async embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
    const reason = this.refuse?.(texts);
    if (reason !== undefined) throw reason;
    this.texts.push(...texts);
    return texts.map((text) => vectorOfWords(text, this.#dimension));
  }
}

/** Moved by hand. */
export class HandClock implements Clock {
  #now = 1_000_000;
  #waiting: { readonly at: number; readonly action: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(delayMs: number, action: () => void): () => void {
    const entry = { at: this.#now + delayMs, action };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((each) => each !== entry);
    };
  }

  move(ms: number): void {
    this.#now += ms;
    const due = this.#waiting.filter(({ at }) => at <= this.#now);
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#now);
    for (const { action } of due) action();
  }
}

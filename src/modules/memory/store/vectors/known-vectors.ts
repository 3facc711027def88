import type { MemoryModel } from "./memory-models.ts";
import { VectorRows } from "./vector-rows.ts";

/** Shared rows by the scope that shares them. */
export type SharedRows = ReadonlyMap<string, ReadonlySet<number>>;

/** The most bytes of vectors that are kept; if they are more, all of them go. */
const mostBytes = 16 * 2 ** 20;

/**
 * Cache of what searches have read about vectors since the database last changed. A search keeps the cache that it
 * began with: if that is replaced meanwhile, no later search sees what is read into the old one.
 */
export class KnownVectors {
  /** Models by their names. */
  readonly models: Map<string, MemoryModel> = new Map();
  /** Scopes with no text that waits to be embedded, by the name of the model and the scope. */
  readonly complete: Set<string> = new Set();
  /** Rows that others share with a scope. */
  readonly shared: Map<string, SharedRows> = new Map();
  /** Scopes whose codes are in memory as the database has them; see CodeCache. */
  readonly currentCodes: Set<string> = new Set();
  readonly #vectors = new Map<number, VectorRows>();

  openVectors({ id, dimension }: MemoryModel): VectorRows {
    let vectors = this.#vectors.get(id);
    if (vectors === undefined || vectors.bytes > mostBytes)
      this.#vectors.set(id, (vectors = new VectorRows(dimension)));
    return vectors;
  }
}

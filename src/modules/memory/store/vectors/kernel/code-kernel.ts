/**
 * Compares codes with that of a query, in a memory of its own that grows by pages. Addresses are in bytes, and those of
 * codes and queries are multiples of 16.
 */
export interface CodeKernel {
  /** What it is made of. */
  readonly kind: "wasm" | "js";
  /** All of the memory. Growing takes it away: ask again. */
  bytes(): Uint8Array<ArrayBuffer>;
  /** Adds so many pages; what is there stays where it is. */
  grow(pages: number): void;
  /** Writes the distance of each code (16 bits) and counts the distances: histogram[distance] (32 bits) grows by one. */
  measure(batch: CodeBatch, query: number, histogram: number): void;
  /**
   * Writes to `found` the slots (16 bits) of the distances from `least` to `most`, in their order, and returns how many
   * there are.
   */
  collect(batch: Pick<CodeBatch, "distances" | "count">, range: DistanceRange, found: number): number;
}

export interface CodeBatch {
  readonly codes: number;
  readonly count: number;
  /** 16 bytes each, of one code. */
  readonly blocks: number;
  readonly distances: number;
}

export interface DistanceRange {
  readonly least: number;
  readonly most: number;
}

export const pageBytes = 65_536;
export const blockBytes = 16;

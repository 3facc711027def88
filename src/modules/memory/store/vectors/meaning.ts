import type { Likeness } from "../search/relevance.ts";

/** What a text means to the sentence model: entries are compared with it. */
export interface Meaning {
  /** What the model's cosines say; undefined where that was not measured. */
  readonly likeness?: Likeness | undefined;
  /** How much the model counts beside words, 0 to 1; undefined where that was not measured. */
  readonly weight?: number | undefined;
  /**
   * Exact cosines of the entries nearest to it, by row number, the nearest first: of those that the scope has, its own
   * and those that others share with it.
   */
  nearest(scope: string, options: NearestOptions): Promise<ReadonlyMap<number, number>>;
  /** Exact cosines of these rows; those without a vector are left out. */
  cosines(seqs: readonly number[]): Promise<ReadonlyMap<number, number>>;
}

export interface NearestOptions {
  readonly limit: number;
  /**
   * Which of the scope's rows count: a set of them, or which of some, asked the nearest first. A filter that lets few
   * pass is better given as a set. @default all of them
   */
  readonly among?:
    | ReadonlySet<number>
    | ((seqs: readonly number[]) => Promise<ReadonlySet<number>>)
    | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Rows with their vectors, and all the rows there are. */
export interface VectorProgress {
  readonly made: number;
  readonly of: number;
}

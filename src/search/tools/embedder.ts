/** Makes vectors of texts: those of texts that mean alike lie near each other. */
export interface Embedder {
  /** The id of the model with all that changes its vectors: vectors of different ids are never compared. */
  readonly id: string;
  /**
   * One vector a text, in their order, all of one length. Long texts may be cut. Rejects with the reason of `signal`
   * once that is aborted.
   */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  /** The same for work that nobody waits for: it gives way to the other, and does not keep the program alive. @default itself */
  readonly background?: Embedder;
  /** Whether the model knows the language of a text, as far as its letters tell. What it can't read is found by its words. @default all it knows */
  readonly reads?: (text: string) => boolean;
  /**
   * Vectors of single words, each of length 1 or of zeros, so cheap that all words of a store can be compared. They need
   * not be of the model that embeds texts. @default none: what is looked for is looked for by its own words
   */
  readonly embedWords?: (words: readonly string[], signal?: AbortSignal) => Promise<readonly Float32Array[]>;
  /**
   * Cosines of this model: what unrelated texts reach, and what only related ones reach. Both are measured once a model.
   * @default judged by what stands out among those of a search
   */
  readonly likeness?: { readonly unrelated: number; readonly related: number };
  /** How much the cosines of this model count beside words where memories are searched, 0 to 1. @default 0.35 */
  readonly weight?: number;
}

/** Keeps vectors by the text they were made of, so that no text is embedded twice. */
export interface VectorCache {
  /** Those there are, by the hash of their texts. */
  get(model: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Float32Array>>;
  /** Keeps vectors by the hashes of their texts. */
  put(model: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
}

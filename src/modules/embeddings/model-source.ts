/** A model that a worker can load: one of `@huggingface/transformers`, or of a package of its own. */
export type ModelSource =
  /** One whose files `@huggingface/transformers` gets from its hub, once, into `cacheFolder`. */
  | { readonly kind: "hub"; readonly model: string; readonly cacheFolder: string }
  /** One with all its files in a folder: nothing is got from anywhere. */
  | { readonly kind: "folder"; readonly folder: string }
  /** One that comes as a package, whose module of this URL has `openEncoder`. */
  | { readonly kind: "package"; readonly packageName: string; readonly entry: string };

/** A loaded model. */
export type EmbedTexts = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** What the worker is asked; it takes the next batch once it has answered the one before. */
export interface Batch {
  readonly texts: readonly string[];
}

/** What the worker says: first that it has loaded its model, or why not, then the vectors of each batch. */
export type WorkerAnswer =
  | { readonly status: "ready" }
  | { readonly status: "unready"; readonly packageName?: string; readonly reason: string }
  | { readonly status: "done"; readonly vectors: readonly Float32Array[] }
  | { readonly status: "failed"; readonly reason: string };

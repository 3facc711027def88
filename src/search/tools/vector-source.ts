import { getErrorMessage, RecentMap } from "../../base/index.ts";
import type { Embedder, VectorCache } from "./embedder.ts";
import { contentHash } from "./fingerprint.ts";

export interface VectorSourceOptions {
  readonly embedder: Embedder | (() => Promise<Embedder | undefined>) | undefined;
  readonly cache: VectorCache | undefined;
  readonly onError: (error: unknown) => void;
}

// A batch is what a query may have to wait for, where the model does one thing at a time: some 0.4 s of a small one.
const textsPerBatch = 16;
const mostQueriesKept = 200;

/** Vectors of texts, from the cache where they are there. What goes wrong is told once, and then there are none. */
export class VectorSource {
  readonly #options: VectorSourceOptions;
  readonly #queries = new RecentMap<string, Float32Array>(mostQueriesKept);
  #opened: Promise<Embedder | undefined> | undefined;
  #fault: string | undefined;

  constructor(options: VectorSourceOptions) {
    this.#options = options;
  }

  /** Why there are no vectors, as half a sentence. Undefined: nothing is wrong, as far as is known. */
  get fault(): string | undefined {
    return this.#options.embedder === undefined ? "no sentence model is set up" : this.#fault;
  }

  /** False: no model is set up. One that can't be loaded now is there. */
  async exists(): Promise<boolean> {
    return this.#open().then(
      (embedder) => embedder !== undefined,
      () => true,
    );
  }

  /** The vectors in the order of the texts. Undefined: none can be made now. */
  async of(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[] | undefined> {
    try {
      const embedder = await this.#open();
      if (embedder === undefined) return undefined;
      const made = await this.#make(texts, embedder.background ?? embedder, signal);
      this.#fault = undefined;
      return made;
    } catch (thrown) {
      return this.#fail(thrown, signal);
    }
  }

  /** Vectors of a query and its parts, which are kept for a while, and not in the cache. Undefined: they can't be made now. */
  async ofQuery(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[] | undefined> {
    const missing = [...new Set(texts)].filter((text) => this.#queries.get(text) === undefined);
    const found = new Map(texts.map((text) => [text, this.#queries.get(text)]));
    try {
      const embedder = await this.#open();
      if (embedder === undefined) return undefined;
      const made = missing.length === 0 ? [] : await embedder.embed(missing, signal);
      for (const [at, text] of missing.entries()) {
        const vector = vectorAt(made, at);
        found.set(text, vector);
        this.#queries.set(text, vector);
      }
      return texts.map((text) => found.get(text) as Float32Array);
    } catch (thrown) {
      return this.#fail(thrown, signal);
    }
  }

  /** Vectors of single words. Undefined: the model has none, or they can't be made now. */
  async ofWords(words: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[] | undefined> {
    try {
      return await (await this.#open())?.embedWords?.(words, signal);
    } catch (thrown) {
      return this.#fail(thrown, signal);
    }
  }

  #open(): Promise<Embedder | undefined> {
    const { embedder } = this.#options;
    this.#opened ??= typeof embedder === "function" ? this.#load(embedder) : Promise.resolve(embedder);
    return this.#opened;
  }

  async #load(embedder: () => Promise<Embedder | undefined>): Promise<Embedder | undefined> {
    try {
      const loaded = await embedder();
      if (loaded === undefined) this.#fault = "no sentence model is set up";
      return loaded;
    } catch (thrown) {
      this.#opened = undefined;
      throw thrown;
    }
  }

  async #make(texts: readonly string[], embedder: Embedder, signal: AbortSignal): Promise<Float32Array[]> {
    const { cache } = this.#options;
    const hashes = await Promise.all(texts.map(contentHash));
    const vectors = new Map(await cache?.get(embedder.id, hashes));
    const missing = [...new Map(hashes.map((hash, at) => [hash, texts[at] as string]))].filter(
      ([hash]) => !vectors.has(hash),
    );
    for (let start = 0; start < missing.length; start += textsPerBatch) {
      const batch = missing.slice(start, start + textsPerBatch);
      const made = await embedder.embed(
        batch.map(([, text]) => text),
        signal,
      );
      const pairs = new Map(batch.map(([hash], at) => [hash, vectorAt(made, at)]));
      await cache?.put(embedder.id, pairs);
      for (const [hash, vector] of pairs) vectors.set(hash, vector);
    }
    return hashes.map((hash) => vectors.get(hash) as Float32Array);
  }

  #fail(thrown: unknown, signal: AbortSignal): undefined {
    if (signal.aborted) return undefined;
    const fault = `the sentence model failed: ${getErrorMessage(thrown)}`;
    if (fault !== this.#fault) this.#options.onError(thrown);
    this.#fault = fault;
    return undefined;
  }
}

function vectorAt(vectors: readonly Float32Array[], at: number): Float32Array {
  const vector = vectors[at];
  if (vector === undefined) throw new RangeError("the model gave fewer vectors than texts");
  return vector;
}

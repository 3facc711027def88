import { type Clock, cutHead, getErrorMessage, RecentMap } from "../../../../base/index.ts";
import type { Embedder } from "../../../../search/index.ts";
import { longestText } from "./embedded-text.ts";
import { toUnit } from "./small-vector.ts";

export interface SentenceModelOptions {
  readonly clock: Clock;
  /** Called once, when the first vector is needed; again only after it failed. */
  readonly embedder: (() => Promise<Embedder | undefined>) | undefined;
  readonly onError: (error: unknown) => void;
}

const mostQueriesKept = 200;
/** A search does not wait longer for the vector of its query. */
const patienceMs = 2000;

/** The model that texts are embedded by. What goes wrong is told once; then there are no vectors. */
export class SentenceModel {
  readonly #options: SentenceModelOptions;
  readonly #queries = new RecentMap<string, Float32Array>(mostQueriesKept);
  readonly #closed = new AbortController();
  #opened: Promise<Embedder | undefined> | undefined;
  #fault: string | undefined;
  #hasAnswered = false;
  #wordsFailed = false;

  constructor(options: SentenceModelOptions) {
    this.#options = options;
  }

  /** What went wrong, as half a sentence. Undefined: nothing, as far as is known. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** Until then it may have to be loaded first. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Aborted by `close`. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Undefined: none is set up, or it can't be loaded now. */
  async open(): Promise<Embedder | undefined> {
    const { embedder } = this.#options;
    try {
      this.#opened ??= embedder?.() ?? Promise.resolve(undefined);
      return await this.#opened;
    } catch (thrown) {
      this.#opened = undefined;
      this.failed(thrown);
      return undefined;
    }
  }

  /**
   * The vector of a query, of length 1. Undefined: none can be made now.
   * @throws the reason of `signal` once that is aborted
   */
  async ofQuery(query: string, signal?: AbortSignal): Promise<Float32Array | undefined> {
    const text = cutHead(query, longestText);
    const late = new AbortController();
    const cancel = this.#options.clock.after(patienceMs, () => late.abort(new Error(tooSlow)));
    const any = AbortSignal.any([
      late.signal,
      this.#closed.signal,
      ...(signal === undefined ? [] : [signal]),
    ]);
    try {
      return await untilAborted(this.#embedQuery(text, any), any);
    } catch (thrown) {
      signal?.throwIfAborted();
      if (!this.#closed.signal.aborted) this.failed(thrown);
      return undefined;
    } finally {
      cancel();
    }
  }

  /** The vectors in the order of the texts, of length 1, made by work that gives way to queries. */
  async ofTexts(embedder: Embedder, texts: readonly string[]): Promise<readonly Float32Array[]> {
    const made = (embedder.background ?? embedder).embed(texts, this.closed);
    const vectors = await untilAborted(made, this.closed);
    if (vectors.length !== texts.length) {
      throw new RangeError(`the model gave ${vectors.length} vectors for ${texts.length} texts`);
    }
    return vectors.map(toUnit);
  }

  /** Vectors of single words, of length 1. Undefined: the model has none, or none can be made now. */
  async ofWords(words: readonly string[]): Promise<readonly Float32Array[] | undefined> {
    const embedder = await this.open();
    try {
      return await embedder?.embedWords?.(words, this.closed);
    } catch (thrown) {
      if (!this.#wordsFailed && !this.closed.aborted) {
        const message = "What is remembered is not found by words that mean the same";
        this.#options.onError(new Error(`${message}: ${getErrorMessage(thrown)}`, { cause: thrown }));
      }
      this.#wordsFailed = true;
      return undefined;
    }
  }

  /** Tells of it, unless it was told already. */
  failed(thrown: unknown): void {
    const fault = `the sentence model failed: ${getErrorMessage(thrown)}`;
    if (fault !== this.#fault) {
      const message = `What is remembered is found by its words alone until it works again: ${fault}`;
      this.#options.onError(new Error(message, { cause: thrown }));
    }
    this.#fault = fault;
  }

  worked(): void {
    this.#fault = undefined;
    this.#hasAnswered = true;
  }

  close(): void {
    this.#closed.abort(new Error("The memory is closed"));
  }

  async #embedQuery(text: string, signal: AbortSignal): Promise<Float32Array | undefined> {
    const embedder = await this.open();
    if (embedder === undefined) return undefined;
    const key = `${embedder.id}\0${text}`;
    const kept = this.#queries.get(key);
    if (kept !== undefined) return kept;
    const [vector] = await embedder.embed([text], signal);
    if (vector === undefined) throw new RangeError("the model gave no vector");
    const unit = toUnit(vector);
    this.#queries.set(key, unit);
    this.worked();
    return unit;
  }
}

const tooSlow = `it gave no vector of the query within ${patienceMs / 1000} seconds`;

/** Also where the model does not look at its signal. */
async function untilAborted<T>(made: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([made, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

import type { Transaction } from "kysely";
import type { Clock } from "../../../../base/index.ts";
import type { TypedDatabase } from "../../../../db/index.ts";
import type { Embedder } from "../../../../search/index.ts";
import type { Tables } from "../tables.ts";
import { CodeCache } from "./code-cache.ts";
import type { CodeMemory } from "./code-memory.ts";
import { embeddedText } from "./embedded-text.ts";
import { EmbeddingPump } from "./embedding-pump.ts";
import { KnownVectors } from "./known-vectors.ts";
import type { Meaning, NearestOptions, VectorProgress } from "./meaning.ts";
import { allModels, findModel } from "./memory-models.ts";
import { SentenceModel } from "./sentence-model.ts";
import { StoredMeaning } from "./stored-meaning.ts";
import { dropVectors } from "./stored-vectors.ts";
import { countAfter, leftAfter, markChanged, markNew, type TextsLeft, unmark } from "./texts-to-embed.ts";

export interface MemoryVectorsOptions {
  readonly clock: Clock;
  /** Called once, when the first vector is needed. @default none: there is nothing but words */
  readonly embedder?: (() => Promise<Embedder | undefined>) | undefined;
  /** Told of what goes wrong in the background, and with the model, once each. */
  readonly onError?: (error: unknown) => void;
  /**
   * The most bytes of codes that are kept in memory; past this those go that were used longest ago. @default
   * 100,663,296
   */
  readonly maxCodeBytes?: number;
  readonly codeMemory?: CodeMemory;
}

export interface SimilarOptions extends NearestOptions {
  /** The least cosine. */
  readonly atLeast: number;
}

/** Another process may leave texts behind; a search looks for such no more often than this. */
const lookMs = 10_000;
/** What was remembered last is to be found at once: a search waits for the vectors of so many texts, so long. */
const fewTexts = 64;
const fewMs = 700;
/** The same while the model has to be loaded. */
const firstMs = 2500;
const noneLeft: TextsLeft = { count: 0, last: undefined, isMore: false };
/** The highest count: nobody needs to know how many more there are. */
const mostCounted = 50_000;

/**
 * Finds entries by what they mean. Each text has a vector, which is made in the background; a search compares it with
 * codes of these, one bit a number, and then exactly with the vectors of the nearest. All of it can be made anew.
 */
export class MemoryVectors {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;
  readonly #model: SentenceModel;
  readonly #pump: EmbeddingPump;
  readonly #codes: CodeCache;
  readonly #hasModel: boolean;
  #lookedAt = 0;
  #known = new KnownVectors();
  #mark: string | undefined;

  constructor(db: TypedDatabase<Tables>, options: MemoryVectorsOptions) {
    const { clock, embedder, onError = () => {}, maxCodeBytes: maxBytes = 100_663_296, codeMemory } = options;
    this.#db = db;
    this.#clock = clock;
    this.#hasModel = embedder !== undefined;
    this.#model = new SentenceModel({ clock, embedder, onError });
    this.#pump = new EmbeddingPump({ db, clock, model: this.#model, onError });
    this.#codes = new CodeCache(db, { maxBytes, memory: codeMemory });
  }

  /** What the model failed at, as half a sentence. Undefined: nothing is wrong, as far as is known. */
  get fault(): string | undefined {
    return this.#model.fault;
  }

  /**
   * What a text means. Undefined: that can't be told now, or nothing is there to compare it with.
   *
   * @param mark of the database when the search began; it tells what need not be read again
   * @throws the reason of `signal` once that is aborted
   */
  async embedMeaning(text: string, signal?: AbortSignal, mark?: string): Promise<Meaning | undefined> {
    signal?.throwIfAborted();
    if (!this.#hasModel) return undefined;
    this.#look();
    const embedder = await this.#model.open();
    if (embedder === undefined || embedder.reads?.(text) === false) return undefined;
    const known = this.#knownAt(mark);
    const model = known.models.get(embedder.id) ?? (await findModel(await this.#db.queries(), embedder.id));
    if (model === undefined || model.vectors === 0) return undefined;
    known.models.set(embedder.id, model);
    const unit = await this.#model.ofQuery(text, signal);
    if (unit === undefined) return undefined;
    if (unit.length !== model.dimension) {
      this.#model.failed(
        new RangeError(`it gave ${unit.length} numbers a text, and ${model.dimension} before`),
      );
      return undefined;
    }
    const { likeness, weight } = embedder;
    return new StoredMeaning({ db: this.#db, codes: this.#codes, model, unit, likeness, weight, known });
  }

  /** Vectors of single words, of length 1. Undefined: the model has none, or none can be made now. */
  async embedWords(words: readonly string[]): Promise<readonly Float32Array[] | undefined> {
    if (!this.#hasModel) return undefined;
    return this.#model.ofWords(words);
  }

  /**
   * Waits for the vectors of what the scope remembered last, if they are few. Resolves with which of its texts have none
   * even then. Undefined: no model is at hand.
   *
   * @param mark of the database when the search began; it tells what need not be read again
   */
  async catchUp(scope: string, signal?: AbortSignal, mark?: string): Promise<TextsLeft | undefined> {
    const embedder = this.#hasModel ? await this.#model.open() : undefined;
    if (embedder === undefined) return undefined;
    const { complete } = this.#knownAt(mark);
    const key = `${embedder.id}\0${scope}`;
    if (complete.has(key)) return noneLeft;
    const left = async (most: number) => {
      const db = await this.#db.queries();
      const embedded = (await findModel(db, embedder.id))?.embedded ?? 0;
      return leftAfter(db, embedded, { scope, most });
    };
    const few = await left(fewTexts);
    if (few.isMore) return left(mostCounted);
    if (few.last === undefined) {
      complete.add(key);
      return few;
    }
    const waitMs = this.#model.hasAnswered ? fewMs : firstMs;
    const late = new AbortController();
    const cancel = this.#clock.after(waitMs, () => late.abort());
    await this.#pump.upTo(
      few.last,
      signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]),
    );
    cancel();
    signal?.throwIfAborted();
    return left(fewTexts);
  }

  /** Cosines of the entries that say nearly the same, the nearest first. Undefined: as for `embedMeaning`. */
  async similar(
    scope: string,
    text: string,
    { atLeast, ...options }: SimilarOptions,
  ): Promise<ReadonlyMap<number, number> | undefined> {
    const meaning = await this.embedMeaning(embeddedText({ text }), options.signal);
    const nearest = await meaning?.nearest(scope, options);
    return nearest && new Map([...nearest].filter(([, cosine]) => cosine >= atLeast));
  }

  /** Call it in the transaction that writes texts, titles, names or places of entries: they are embedded once it is done. */
  async noteTexts(tx: Transaction<Tables>, seqs: readonly number[]): Promise<void> {
    await markChanged(tx, seqs);
    await this.#toEmbed(tx);
  }

  /** The same for entries that this transaction makes. */
  async noteNew(tx: Transaction<Tables>, seqs: readonly number[]): Promise<void> {
    await markNew(tx, seqs);
    await this.#toEmbed(tx);
  }

  /** Call it in the transaction that erases entries of a scope. Those that can be restored keep their vectors. */
  async forgetTexts(tx: Transaction<Tables>, scope: string, seqs: readonly number[]): Promise<void> {
    await unmark(tx, seqs);
    for (const model of await allModels(tx)) await dropVectors(tx, model, { scope, seqs });
  }

  /** Resolves once every text has its vector, or none can be made now. */
  async ready(): Promise<void> {
    if (!this.#hasModel) return;
    this.#pump.wake();
    await this.#pump.idle();
  }

  /**
   * The progress of the model in use; without one, no vectors are made. It covers all scopes, unless one is
   * named.
   */
  async progress(scope?: string): Promise<VectorProgress> {
    const embedder = this.#hasModel ? await this.#model.open() : undefined;
    const db = await this.#db.queries();
    const model = embedder && (await findModel(db, embedder.id));
    const of = await countAfter(db, 0, scope);
    return { made: model === undefined ? 0 : of - (await countAfter(db, model.embedded, scope)), of };
  }

  /** Ends what runs in the background; what is left is done when the store is open again. */
  async close(): Promise<void> {
    await this.#pump.close();
  }

  async #toEmbed(tx: Transaction<Tables>): Promise<void> {
    if (!this.#hasModel) return;
    await this.#pump.claimWithin(tx);
    this.#pump.wake();
  }

  /** Without a mark, or with a new one, the cache starts empty. */
  #knownAt(mark: string | undefined): KnownVectors {
    if (mark === undefined) return new KnownVectors();
    if (mark !== this.#mark) this.#known = new KnownVectors();
    this.#mark = mark;
    return this.#known;
  }

  #look(): void {
    const now = this.#clock.now();
    if (Math.abs(now - this.#lookedAt) < lookMs) return;
    this.#lookedAt = now;
    this.#pump.wake();
  }
}

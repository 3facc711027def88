import { setImmediate } from "node:timers/promises";
import type { Transaction } from "kysely";
import { type Clock, getErrorMessage } from "../../../../base/index.ts";
import type { TypedDatabase } from "../../../../db/index.ts";
import { randomId } from "../../../../db/index.ts";
import type { Embedder } from "../../../../search/index.ts";
import type { Tables } from "../tables.ts";
import {
  claimModel,
  findModel,
  type MemoryModel,
  openModel,
  releaseModel,
  setEmbedded,
  tidyModels,
} from "./memory-models.ts";
import type { SentenceModel } from "./sentence-model.ts";
import { dropVectors, putVectors } from "./stored-vectors.ts";
import { type TextToEmbed, textsAfter, unchanged } from "./texts-to-embed.ts";

export interface EmbeddingPumpOptions {
  readonly db: TypedDatabase<Tables>;
  readonly clock: Clock;
  readonly model: SentenceModel;
  readonly onError: (error: unknown) => void;
}

/** What a search may have to wait for, where the model does one thing at a time: some 0.4 s of a small one. */
const textsAtOnce = 16;
/** Whoever embeds is left alone for so long: it tells anew with each batch. */
const claimMs = 60_000;
/** The longest that other work of this thread waits for a model that runs in it, besides the batch under way. */
const turnMs = 25;
/** A batch that is under way is kept if it is done so soon after the end. */
const graceMs = 200;
const firstRetryMs = 5_000;
const longestRetryMs = 1_800_000;

/**
 * Makes the vectors that are missing, in the background: of texts that changed, and of all of them once the model is
 * another. How far it has come is kept with the vectors, so a kill -9 loses one batch at most. Of several processes one
 * does it at a time.
 */
export class EmbeddingPump {
  readonly #options: EmbeddingPumpOptions;
  readonly #worker = randomId("w", 16);
  #running: Promise<void> | undefined;
  #claimed: number | undefined;
  /** The id of the model in use, once it has made a vector. */
  #model: number | undefined;
  #again = false;
  #isClosed = false;
  #tidied = false;
  #retryMs = firstRetryMs;
  #cancelRetry: (() => void) | undefined;
  readonly #waiting = new Map<() => void, number>();

  constructor(options: EmbeddingPumpOptions) {
    this.#options = options;
  }

  /** Something may have to be embedded. After a failure it waits for its time. */
  wake(): void {
    if (this.#cancelRetry !== undefined || this.#isClosed) return;
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#again) this.wake();
      if (this.#running === undefined) this.#reached(Number.POSITIVE_INFINITY);
    });
  }

  /** Resolves once nothing is left to do, or nothing can be done now. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  /** Closes the model too. A model that has yet to be loaded is not waited for. */
  async close(): Promise<void> {
    const { model, clock } = this.#options;
    this.#isClosed = true;
    this.#cancelRetry?.();
    if (model.hasAnswered) {
      const cancel = clock.after(graceMs, () => model.close());
      await this.idle();
      cancel();
    }
    model.close();
    await this.idle();
  }

  /** Resolves once the texts up to that number are embedded, nothing can be done now, or `signal` is aborted. */
  async upTo(number: number, signal: AbortSignal): Promise<void> {
    this.wake();
    if (this.#running === undefined || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(resolve, number);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    this.#waiting.delete(resolve);
  }

  #reached(number: number): void {
    for (const [resolve, wanted] of this.#waiting) if (wanted <= number) resolve();
  }

  async #run(): Promise<void> {
    const { model, clock, onError } = this.#options;
    try {
      while (this.#again && !this.#isClosed) {
        this.#again = false;
        const embedder = await model.open();
        if (embedder === undefined) return;
        let turnAt = clock.now();
        while (!this.#isClosed && (await this.#doBatch(embedder))) {
          this.#retryMs = firstRetryMs;
          // A model in this thread and the database answer synchronously, so without a pause nothing else would run.
          if (Math.abs(clock.now() - turnAt) < turnMs) continue;
          await setImmediate();
          turnAt = clock.now();
        }
      }
    } catch (thrown) {
      if (this.#isClosed) return;
      if (thrown instanceof ModelFailure) model.failed(thrown.cause);
      else onError(thrown);
      this.#retryIn(this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 4, longestRetryMs);
    } finally {
      await this.#release().catch(onError);
    }
  }

  #retryIn(delayMs: number): void {
    if (this.#isClosed) return;
    this.#cancelRetry = this.#options.clock.after(delayMs, () => {
      this.#cancelRetry = undefined;
      this.wake();
    });
  }

  /** False: nothing is left to do for this process. */
  async #doBatch(embedder: Embedder): Promise<boolean> {
    const { db } = this.#options;
    const known = await findModel(await db.queries(), embedder.id);
    this.#model = known?.id;
    const texts = await textsAfter(await db.queries(), known?.embedded ?? 0, textsAtOnce);
    if (texts.length === 0) {
      if (known !== undefined) await this.#tidy(known);
      return false;
    }
    const busyMs = known === undefined ? 0 : await this.#claim(known);
    if (busyMs > 0) {
      this.#retryIn(busyMs);
      return false;
    }
    const full = texts.filter(({ text }) => text !== "" && embedder.reads?.(text) !== false);
    const units = await this.#embed(embedder, full);
    const cutOff = this.#isClosed ? full.find((text) => !units.has(text)) : undefined;
    const done = cutOff === undefined ? texts : texts.slice(0, texts.indexOf(cutOff));
    if (done.length === 0) return false;
    await this.#keep(embedder.id, done, units);
    this.#reached(done.at(-1)?.number ?? 0);
    if (texts.length === textsAtOnce) return true;
    // A text that is added meanwhile wakes it again.
    if (known !== undefined) await this.#tidy(known);
    return false;
  }

  /**
   * Claims the work of embedding in the transaction that adds a text, unless another process has it; claiming it later
   * would take a second transaction. It is released when the text is embedded, or can't be.
   */
  async claimWithin(tx: Transaction<Tables>): Promise<void> {
    if (this.#model === undefined || this.#cancelRetry !== undefined || this.#isClosed) return;
    const claim = { worker: this.#worker, now: this.#options.clock.now(), forMs: claimMs };
    if ((await claimModel(tx, this.#model, claim)) === 0) this.#claimed = this.#model;
  }

  /** How long another process has the work. */
  async #claim({ id, worker, workerUntil }: MemoryModel): Promise<number> {
    const now = this.#options.clock.now();
    if (worker === this.#worker && workerUntil > now + claimMs / 2) return 0;
    const claim = { worker: this.#worker, now, forMs: claimMs };
    const busyMs = await this.#options.db.write((tx) => claimModel(tx, id, claim));
    if (busyMs === 0) this.#claimed = id;
    return busyMs;
  }

  /** Others may go on at once: this process may be gone before its time is over. */
  async #release(): Promise<void> {
    const id = this.#claimed;
    this.#claimed = undefined;
    if (id !== undefined) await this.#options.db.write((tx) => releaseModel(tx, id, this.#worker));
  }

  /**
   * The vectors by text; texts that the model can't take, or has no time for before it is closed, are left
   * out.
   */
  async #embed(
    embedder: Embedder,
    full: readonly TextToEmbed[],
  ): Promise<ReadonlyMap<TextToEmbed, Float32Array>> {
    const { model } = this.#options;
    const units = new Map<TextToEmbed, Float32Array>();
    const embed = async (some: readonly TextToEmbed[]) => {
      const made = await model.ofTexts(
        embedder,
        some.map(({ text }) => text),
      );
      for (const [at, unit] of made.entries()) units.set(some[at] as TextToEmbed, unit);
    };
    if (full.length === 0) return units;
    try {
      await embed(full);
    } catch (cause) {
      // One that the model can't take must not keep the others from it. Each has two tries.
      const tryEach = async () => {
        for (const text of full) {
          if (!units.has(text) && !model.closed.aborted) await embed([text]).catch(() => undefined);
        }
      };
      if (full.length > 1) await tryEach();
      if (units.size === 0) throw new ModelFailure("The model gave nothing", { cause });
      await tryEach();
      const refused = full.length - units.size;
      if (refused > 0 && !model.closed.aborted) this.#options.onError(refusal(refused, cause));
    }
    model.worked();
    return units;
  }

  /** Releases the work with the last texts, unless others came meanwhile. */
  async #keep(
    name: string,
    texts: readonly TextToEmbed[],
    units: ReadonlyMap<TextToEmbed, Float32Array>,
  ): Promise<void> {
    const now = this.#options.clock.now();
    const [first] = units.values();
    const claimed = this.#claimed;
    const write = async (tx: Transaction<Tables>) => {
      const model = await openModel(tx, { name, dimension: first?.length, now });
      const still = await unchanged(tx, texts);
      const made = still.flatMap((text) => {
        const unit = units.get(text);
        return unit === undefined ? [] : [{ seq: text.seq, scope: text.scope, unit }];
      });
      await putVectors(tx, model, made);
      const without = still.filter((text) => !units.has(text));
      for (const [scope, some] of Map.groupBy(without, ({ scope }) => scope)) {
        await dropVectors(tx, model, { scope, seqs: some.map(({ seq }) => seq) });
      }
      const embedded = Math.max(model.embedded, texts.at(-1)?.number ?? 0);
      await setEmbedded(tx, model.id, embedded);
      if (claimed === undefined || texts.length === textsAtOnce || this.#again) return;
      await releaseModel(tx, claimed, this.#worker);
      this.#claimed = undefined;
    };
    await this.#options.db.write(write).catch((thrown: unknown) => {
      this.#claimed = claimed;
      throw thrown;
    });
  }

  /** What no model uses any more goes. */
  async #tidy(model: MemoryModel): Promise<void> {
    const { db, clock } = this.#options;
    if (this.#tidied) return;
    this.#tidied = true;
    await tidyModels(db, model, clock.now());
  }
}

function refusal(count: number, cause: unknown): Error {
  const message = `The sentence model can't take ${count === 1 ? "1 text" : `${count} texts`} of memory, found by words alone now: ${getErrorMessage(cause)}`;
  return new Error(message, { cause });
}

/** `cause` is what the model said. */
class ModelFailure extends Error {}

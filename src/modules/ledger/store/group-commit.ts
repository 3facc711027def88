import { isPromise, type MaybePromise } from "../../../base/index.ts";

/** Rows in one transaction at most: a larger one would hold up the event loop for longer than a frame. */
const maxBatch = 1000;

interface Batch<Item> extends PromiseWithResolvers<void> {
  readonly items: Item[];
}

/**
 * Writes what is added in one turn of the event loop in one go, one batch at a time. Those who add share the
 * promise of their batch: it resolves when the batch is written and rejects, for all of them, if it can't be.
 */
export class GroupCommit<Item> {
  readonly #write: (items: readonly Item[]) => MaybePromise<void>;
  readonly #waiting: Batch<Item>[] = [];
  #writing: Batch<Item> | undefined;
  #scheduled = false;

  constructor(write: (items: readonly Item[]) => MaybePromise<void>) {
    this.#write = write;
  }

  add(item: Item): Promise<void> {
    let batch = this.#waiting.at(-1);
    if (batch === undefined || batch.items.length >= maxBatch) {
      batch = { items: [], ...Promise.withResolvers<void>() };
      this.#waiting.push(batch);
      this.#schedule();
    }
    batch.items.push(item);
    return batch.promise;
  }

  /** Resolves once everything added so far is written or has failed; never rejects. */
  async drain(): Promise<void> {
    const batches = this.#writing === undefined ? this.#waiting : [this.#writing, ...this.#waiting];
    await Promise.allSettled(batches.map((batch) => batch.promise));
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing !== undefined) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    const batch = this.#waiting.shift();
    if (batch === undefined) return;
    this.#writing = batch;
    try {
      const written = this.#write(batch.items);
      if (isPromise(written))
        written.then(
          () => this.#settle(batch),
          (error: unknown) => this.#settle(batch, error),
        );
      else this.#settle(batch);
    } catch (error) {
      this.#settle(batch, error);
    }
  }

  #settle(batch: Batch<Item>, error?: unknown): void {
    this.#writing = undefined;
    if (error === undefined) batch.resolve();
    else batch.reject(error);
    if (this.#waiting.length > 0) this.#schedule();
  }
}

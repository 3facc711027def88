import type { Clock } from "../../base/index.ts";

/**
 * The time that one request to a server has, in all its parts. It stands still while a person is awaited. Whoever
 * fails it first says why.
 */
export class Deadline {
  readonly #clock: Clock;
  readonly #tooLong: () => Error;
  readonly #listeners = new Set<() => void>();
  #failure: Error | undefined;
  #controller: AbortController | undefined;
  readonly #outer: AbortSignal | undefined;
  readonly #onAbort: (() => void) | undefined;
  #left: number;
  #since: number;
  #pauses = 0;
  #endTimer: (() => void) | undefined;

  constructor(
    clock: Clock,
    ms: number,
    tooLong: () => Error,
    outer?: { signal: AbortSignal; toError: () => Error },
  ) {
    this.#clock = clock;
    this.#left = ms;
    this.#since = clock.now();
    this.#tooLong = tooLong;
    this.#outer = outer?.signal;
    if (outer !== undefined) {
      this.#onAbort = () => this.fail(outer.toError());
      if (outer.signal.aborted) this.#onAbort();
      else outer.signal.addEventListener("abort", this.#onAbort, { once: true });
    }
    this.#start();
  }

  /** Made on first use: most requests are answered before anything needs the signal. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#failure !== undefined) this.#controller.abort(this.#failure);
    }
    return this.#controller.signal;
  }

  /** Why it failed; undefined while it has not. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  fail(error: Error): void {
    this.end();
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#controller?.abort(error);
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }

  /** Has `listener` called once if it fails from now on; the returned function takes that back. */
  onFail(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Nothing more is awaited. */
  end(): void {
    this.#endTimer?.();
    this.#endTimer = undefined;
    if (this.#onAbort !== undefined) this.#outer?.removeEventListener("abort", this.#onAbort);
  }

  /** What `work` gives, or the reason of the failure as soon as there is one. */
  async within<Value>(work: Promise<Value>): Promise<Value> {
    if (this.failure !== undefined) {
      work.catch(() => undefined);
      throw this.failure;
    }
    return new Promise((resolve, reject) => {
      const leave = this.onFail(() => reject(this.failure));
      work.finally(leave).then(resolve, (error: unknown) => reject(this.failure ?? error));
    });
  }

  /** `work` does not count. */
  async pausedFor<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#pause();
    try {
      return await work();
    } finally {
      this.#resume();
    }
  }

  #pause(): void {
    if (this.#pauses++ > 0) return;
    this.#left = Math.max(0, this.#left - (this.#clock.now() - this.#since));
    this.#endTimer?.();
    this.#endTimer = undefined;
  }

  #resume(): void {
    if (--this.#pauses > 0 || this.failure !== undefined) return;
    this.#since = this.#clock.now();
    this.#start();
  }

  #start(): void {
    if (this.failure !== undefined) return;
    this.#endTimer = this.#clock.after(this.#left, () => this.fail(this.#tooLong()));
  }
}

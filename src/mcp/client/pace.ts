import type { Clock } from "../../base/index.ts";

export interface PaceOptions {
  /** What may come at once, and how much more each second. */
  readonly burst: number;
  readonly perSecond: number;
  /** How long a sender may be made to wait before it counts as one that floods. */
  readonly floodMs: number;
  readonly clock: Clock;
  /** What is thrown at one that floods. */
  readonly toFlood: () => Error;
}

/** Lets a reader take what comes, as long as it does not come too fast for too long; then the reader waits. */
export class Pace {
  readonly #options: PaceOptions;
  #left: number;
  #since: number;
  #waitedMs = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#left = options.burst;
    this.#since = options.clock.now();
  }

  /** Something was asked for: one message more may come. Answers are as many as the questions, and no flood. */
  expect(): void {
    this.#left = Math.min(this.#options.burst, this.#left + 1);
  }

  /**
   * Counts what was read; the promise, if there is one, is to be awaited before more is read.
   *
   * @throws what `toFlood` makes.
   */
  take(count: number): Promise<void> | undefined {
    const { burst, perSecond, floodMs, clock, toFlood } = this.#options;
    const now = clock.now();
    const had = Math.min(burst, this.#left + ((now - this.#since) * perSecond) / 1000);
    this.#left = had - count;
    this.#since = now;
    if (had > burst / 2) this.#waitedMs = 0;
    if (this.#left >= 0) return undefined;
    const waitMs = (-this.#left * 1000) / perSecond;
    this.#waitedMs += waitMs;
    if (this.#waitedMs > floodMs) throw toFlood();
    return new Promise((resolve) => void clock.after(waitMs, resolve));
  }
}

import type { Clock } from "../../base/index.ts";

/** How many requests are looked at in a minute. */
export interface Allowance {
  readonly admitted: number;
  readonly refused: number;
}

/** Counts requests of the current minute: those that are admitted and those that are refused, each by itself. */
export class MinuteCount {
  readonly #clock: Clock;
  readonly #most: Allowance;
  readonly #counts = { admitted: 0, refused: 0 };
  #minute = 0;

  constructor(clock: Clock, most: Allowance) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Counts one more request. False if there were too many of its kind. */
  count(kind: keyof Allowance): boolean {
    const minute = Math.floor(this.#clock.now() / 60_000);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts.admitted = 0;
      this.#counts.refused = 0;
    }
    return ++this.#counts[kind] <= this.#most[kind];
  }
}

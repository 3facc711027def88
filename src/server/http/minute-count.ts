import type { Clock } from "../../base/index.ts";

/** Limits on requests per minute. */
export interface Allowance {
  readonly admitted: number;
  readonly refused: number;
}

/** Counts admitted and refused requests of the current minute separately. */
export class MinuteCount {
  readonly #clock: Clock;
  readonly #most: Allowance;
  readonly #counts = { admitted: 0, refused: 0 };
  #minute = 0;

  constructor(clock: Clock, most: Allowance) {
    this.#clock = clock;
    this.#most = most;
  }

  /** Counts one request. False if it exceeds the limit of its kind. */
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

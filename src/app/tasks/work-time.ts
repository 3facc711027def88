import { type Clock, systemClock } from "../../base/index.ts";
import type { Approver } from "../../kernel/index.ts";

/** Measures how long this process works on a run, without the time in which a person is asked about one of its calls. */
export class WorkTime {
  readonly #clock: Clock;
  readonly #beganAt: number;
  /** Questions that are open now. */
  #open = 0;
  #askedAt = 0;
  #waitedMs = 0;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
    this.#beganAt = clock.now();
  }

  get ms(): number {
    const now = this.#clock.now();
    return now - this.#beganAt - this.#waitedMs - (this.#open > 0 ? now - this.#askedAt : 0);
  }

  /** Wraps an approver so that the time in which it asks does not count. */
  exclude(approver: Approver): Approver {
    return {
      identity: approver.identity,
      ask: async (approval, signal) => {
        if (this.#open++ === 0) this.#askedAt = this.#clock.now();
        try {
          return await approver.ask(approval, signal);
        } finally {
          if (--this.#open === 0) this.#waitedMs += this.#clock.now() - this.#askedAt;
        }
      },
    };
  }
}

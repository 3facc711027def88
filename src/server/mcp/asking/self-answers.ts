import { setImmediate } from "node:timers/promises";
import { type Clock, RecentMap } from "../../../base/index.ts";
import type { McpClient } from "../client.ts";

/** Number of automatic answers after which a session is not asked any more. */
const mostSelfAnswers = 3;
const mostSessions = 1000;

/**
 * The clients that answer questions to people by themselves, as programs that run without a person do, within
 * milliseconds. Where each request stands for itself there is no session, and such a client is asked each time.
 */
export class SelfAnswers {
  readonly #counts = new RecentMap<string, number>(mostSessions);

  /** Explains why this client is not asked any more; undefined while it still is. */
  whyUnasked({ session }: Pick<McpClient, "session">): string | undefined {
    if (session === undefined || (this.#counts.get(session) ?? 0) < mostSelfAnswers) return undefined;
    return `the client answered ${mostSelfAnswers} questions before a person can have read them, so it is not asked any more in this session`;
  }

  /** Records whether a person can have read the question that this client answered. */
  note({ session }: Pick<McpClient, "session">, wasRead: boolean): void {
    if (session !== undefined) this.#counts.set(session, wasRead ? 0 : (this.#counts.get(session) ?? 0) + 1);
  }
}

/** Measures whether enough time has passed since a question was sent for a person to have read it. */
export class ReadingTime {
  readonly #clock: Clock;
  readonly #ms: number;
  #endTimer: (() => void) | undefined;
  #isOver: boolean;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
    this.#isOver = ms === 0;
  }

  /** Starts a timer, which a change of the system time does not affect. */
  readonly begin = (): void => {
    this.#endTimer ??= this.#clock.after(this.#ms, () => void (this.#isOver = true));
  };

  /**
   * Whether a person can have read the question by now. A process that was held up hears of an answer before its own
   * timers, so those that are due get their turn first.
   */
  async isOver(): Promise<boolean> {
    // The second turn of the event loop begins behind the timers.
    for (let turn = 0; turn < 2 && !this.#isOver; turn++) await setImmediate();
    return this.#isOver;
  }

  /** Stops the timer. */
  end(): void {
    this.#endTimer?.();
  }
}

export const tooFast = "the client answered before a person can have read the question";
export const closed = "the client closed the question without an answer";

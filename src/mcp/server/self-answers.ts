import { type Clock, RecentMap } from "../../base/index.ts";
import type { McpClient } from "./client.ts";

/** So many answers of one session that no person can have given, and it is not asked any more. */
const mostSelfAnswers = 3;
const mostSessions = 1000;

/**
 * The clients that answer questions to people by themselves, as programs that run without a person do, within
 * milliseconds. Where each request stands for itself there is no session, and such a client is asked each time.
 */
export class SelfAnswers {
  readonly #counts = new RecentMap<string, number>(mostSessions);

  /** Why this client is not asked any more; undefined while it is. */
  whyUnasked({ session }: Pick<McpClient, "session">): string | undefined {
    if (session === undefined || (this.#counts.get(session) ?? 0) < mostSelfAnswers) return undefined;
    return `the client answered ${mostSelfAnswers} questions before a person can have read them, so it is not asked any more in this session`;
  }

  /** Takes note of whether a person can have read what this client answered. */
  note({ session }: Pick<McpClient, "session">, wasRead: boolean): void {
    if (session !== undefined) this.#counts.set(session, wasRead ? 0 : (this.#counts.get(session) ?? 0) + 1);
  }
}

/** Tells whether a person can have read a question, from when it went out. */
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

  /** By a timer, which no change of the time of day shortens. */
  readonly begin = (): void => {
    this.#endTimer ??= this.#clock.after(this.#ms, () => void (this.#isOver = true));
  };

  /** True if a person can have read it by now. */
  end(): boolean {
    this.#endTimer?.();
    return this.#isOver;
  }
}

export const tooFast = "the client answered before a person can have read the question";
export const closed = "the client closed the question without an answer";

import type { Clock } from "../base/index.ts";
import type { ApprovalAnswer, Approvals } from "./approval.ts";
import type { Call } from "./call.ts";

/** How often a waiting call tells its caller so, and looks whether somebody still watches. */
const beatMs = 10_000;

export interface WatchersOptions {
  readonly approvals: Approvals | undefined;
  readonly clock: Clock;
  /** The longest that a call waits. */
  readonly timeoutMs: number;
  /** Who may answer the questions of a call. */
  readonly approversOf: (call: Call) => readonly string[];
}

/** Rejected with where nobody answered in time. */
export class AnswerTimeoutError extends Error {
  constructor(ms: number) {
    super(`nobody answered within ${ms} ms`);
  }
}

/** The people who look at kept questions: a call that nobody can be asked for waits for them, while there are any. */
export class Watchers {
  readonly #options: WatchersOptions;

  constructor(options: WatchersOptions) {
    this.#options = options;
  }

  /** Whether somebody looks at kept questions now who may answer those of this call. */
  async include(call: Call): Promise<boolean> {
    const { approvals, approversOf } = this.#options;
    try {
      return (await approvals?.watched?.(approversOf(call))) === true;
    } catch {
      return false; // Whoever can't be seen is not waited for.
    }
  }

  /** How long a call waits at most. */
  waitMs({ context }: Call): number {
    const { timeoutMs } = this.#options;
    return Math.min(timeoutMs, context.watcherWaitMs ?? timeoutMs);
  }

  /** The answer to a kept question; rejects where none comes in time, or nobody watches any more. */
  async answer(call: Call, questionId: string, approvals: Approvals): Promise<ApprovalAnswer> {
    const { clock } = this.#options;
    const ms = this.waitMs(call);
    const gone = new AbortController();
    const endBeat = this.#beat(call, questionId, gone);
    const wait = (signal: AbortSignal) =>
      approvals.answered(questionId, AbortSignal.any([signal, gone.signal]));
    try {
      return await call.within(clock, ms, () => new AnswerTimeoutError(ms), wait);
    } finally {
      endBeat();
    }
  }

  /** Tells the caller now and then that the call waits, and gives up once nobody watches any more. */
  #beat(call: Call, questionId: string, gone: AbortController): () => void {
    let endTimer = () => {};
    let isOver = false;
    const beat = async () => {
      call.context.onAwaited?.(questionId);
      endTimer = this.#options.clock.after(beatMs, () => void beat());
      if (await this.include(call)) return;
      if (!isOver) gone.abort(new Error("nobody looks at questions any more"));
    };
    void beat();
    return () => {
      isOver = true;
      endTimer();
    };
  }
}

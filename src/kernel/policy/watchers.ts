import type { Clock } from "../../base/index.ts";
import type { Call } from "../call/call.ts";
import type { ApprovalAnswer, Approvals } from "./approval.ts";

/** Interval at which a waiting call notifies its caller and checks that somebody is still watching. */
const beatMs = 10_000;

export interface WatchersOptions {
  readonly approvals: Approvals | undefined;
  readonly clock: Clock;
  /** Maximum time that a call waits. */
  readonly timeoutMs: number;
  /** Returns who may answer the questions of a call. */
  readonly listApprovers: (call: Call) => readonly string[];
}

/** Thrown if nobody answered in time. */
export class AnswerTimeoutError extends Error {
  constructor(ms: number) {
    super(`nobody answered within ${ms} ms`);
  }
}

/** The people who watch stored questions. A call whose channel reaches nobody waits for them, if there are any. */
export class Watchers {
  readonly #options: WatchersOptions;

  constructor(options: WatchersOptions) {
    this.#options = options;
  }

  /** Whether a person who may answer this call's questions is watching now. */
  async include(call: Call): Promise<boolean> {
    const { approvals, listApprovers } = this.#options;
    try {
      return (await approvals?.watched?.(listApprovers(call))) === true;
    } catch {
      return false; // Whoever can't be seen is not waited for.
    }
  }

  /** Maximum time that a call waits, in milliseconds. */
  waitMs({ context }: Call): number {
    const { timeoutMs } = this.#options;
    return Math.min(timeoutMs, context.watcherWaitMs ?? timeoutMs);
  }

  /** Waits for the answer to a stored question; rejects if none comes in time or nobody is watching any more. */
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

  /** Notifies the caller regularly that the call waits, and aborts once nobody is watching any more. */
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

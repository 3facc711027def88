import type { Clock } from "../../base/index.ts";
import type { Call } from "../call/call.ts";
import type { ApprovalAnswer, Approvals } from "./approval.ts";

/** Interval at which a waiting call notifies its caller and checks that somebody is still watching. */
const beatMs = 10_000;

export interface WatchersOptions {
  readonly approvals: Approvals | undefined;
  readonly clock: Clock;
  /** Returns who may answer the questions of a call. */
  readonly listApprovers: (call: Call) => readonly string[];
}

/** A stored question that a call waits for. */
export interface WatchedQuestion {
  readonly questionId: string;
  readonly approvals: Approvals;
  /** Maximum time that the call waits for any person. */
  readonly personMs: number;
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

  /** The longest wait for a watcher in milliseconds, at most `personMs`. */
  waitMs({ context }: Call, personMs: number): number {
    return Math.min(personMs, context.watcherWaitMs ?? personMs);
  }

  /** Waits for the answer to a stored question; rejects if none comes in time or nobody is watching any more. */
  async answer(call: Call, { questionId, approvals, personMs }: WatchedQuestion): Promise<ApprovalAnswer> {
    const { clock } = this.#options;
    const ms = this.waitMs(call, personMs);
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

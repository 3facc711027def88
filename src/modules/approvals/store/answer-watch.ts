import type { Clock } from "../../../base/index.ts";
import type { ApprovalAnswer } from "../../../kernel/index.ts";

/** What became of a question that was waited for: its answer, or why there will be none. */
export type Settled = { readonly answer: ApprovalAnswer } | { readonly fault: Error };

export interface AnswerWatchOptions {
  readonly clock: Clock;
  /** Those of the questions that nobody has to wait for any more. */
  readonly look: (ids: readonly string[]) => Promise<ReadonlyMap<string, Settled>>;
}

/** How late an answer from another process is heard of at most; shorter, and a waiting process costs more. */
const pollMs = 200;

interface Waiter {
  readonly settle: (settled: Settled) => void;
}

/** Waits for answers: one look at the store for all that are waited for, now and then, and at once when told to. */
export class AnswerWatch {
  readonly #options: AnswerWatchOptions;
  readonly #waiters = new Map<string, Set<Waiter>>();
  #stopTimer: (() => void) | undefined;
  #looking = false;
  #lookAgain = false;
  #ended: Error | undefined;

  constructor(options: AnswerWatchOptions) {
    this.#options = options;
  }

  /** Rejects with the signal's reason, or the fault of the question. */
  wait(id: string, signal: AbortSignal): Promise<ApprovalAnswer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const waiters = this.#waiters.get(id) ?? new Set();
      const leave = () => {
        signal.removeEventListener("abort", abort);
        waiters.delete(waiter);
        if (waiters.size === 0 && this.#waiters.get(id) === waiters) this.#waiters.delete(id);
        if (this.#waiters.size === 0) this.#pause();
      };
      const abort = () => {
        leave();
        reject(signal.reason as Error);
      };
      const waiter: Waiter = {
        settle(settled) {
          leave();
          if ("answer" in settled) resolve(settled.answer);
          else reject(settled.fault);
        },
      };
      waiters.add(waiter);
      this.#waiters.set(id, waiters);
      signal.addEventListener("abort", abort);
      this.lookNow();
    });
  }

  /** Looks without waiting for the next time. */
  lookNow(): void {
    if (this.#looking) this.#lookAgain = true;
    else void this.#look();
  }

  /** Rejects all that wait, now and later. */
  end(fault: Error): void {
    this.#ended = fault;
    this.#pause();
    this.#settle(fault);
  }

  async #look(): Promise<void> {
    if (this.#waiters.size === 0 || this.#ended !== undefined) return;
    this.#pause();
    this.#looking = true;
    do {
      this.#lookAgain = false;
      try {
        const settled = await this.#options.look(Array.from(this.#waiters.keys()));
        for (const [id, one] of settled) for (const waiter of this.#waiters.get(id) ?? []) waiter.settle(one);
      } catch (fault) {
        // Whoever can't be heard has not said yes.
        this.#settle(fault as Error);
      }
    } while (this.#lookAgain && this.#waiters.size > 0);
    this.#looking = false;
    if (this.#waiters.size > 0) this.#stopTimer = this.#options.clock.after(pollMs, () => this.lookNow());
  }

  #pause(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
  }

  #settle(fault: Error): void {
    for (const waiters of Array.from(this.#waiters.values()))
      for (const waiter of Array.from(waiters)) waiter.settle({ fault });
  }
}

import type { Clock } from "../../../base/index.ts";
import type { ToolUpdate } from "../../../kernel/index.ts";
import type { Call } from "./call.ts";

/** More often than this nobody can read, and a chatty tool would fill the pipe. */
const minGapMs = 20;
const longestPiece = 2000;
/** Progress step for waiting calls: smaller than any step of a tool, as the number has to grow with each message. */
const waitingStep = 0.0001;

/**
 * Turns the updates of a tool into `notifications/progress`. The number always grows; news that come faster than
 * every 20 ms are told together. Partial output is told as the message, with the characters so far as the number,
 * unless the tool has a progress of its own.
 */
export class ProgressTeller {
  readonly #call: Call;
  readonly #clock: Clock;
  #told = Number.NEGATIVE_INFINITY;
  #toldAt = Number.NEGATIVE_INFINITY;
  #chars = 0;
  #ownProgress = false;
  #waiting: { progress: number; total?: number; message?: string } | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor(call: Call, clock: Clock) {
    this.#call = call;
    this.#clock = clock;
  }

  readonly update = (update: ToolUpdate): void => {
    if (update.type === "progress") {
      this.#ownProgress = true;
      const { progress, total, message } = update;
      this.#plan({
        progress,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      });
    } else if (!this.#ownProgress) {
      this.#chars += update.text.length;
      const earlier = this.#waiting?.message ?? "";
      this.#plan({ progress: this.#chars, message: (earlier + update.text).slice(-longestPiece) });
    }
  };

  /** Notifies the client that the call waits for a person. */
  readonly waits = (questionId: string): void => {
    const progress = this.#told === Number.NEGATIVE_INFINITY ? 0 : this.#told + waitingStep;
    this.#plan({ progress, message: `waits for your answer (${questionId})` });
  };

  /** Tells what still waits; nothing is told after the answer. */
  end(): void {
    this.#cancelTimer?.();
    this.#tell();
  }

  #plan(news: { progress: number; total?: number; message?: string }): void {
    if (!(news.progress > this.#told)) return;
    this.#waiting = news;
    if (this.#cancelTimer !== undefined) return;
    const gap = this.#clock.now() - this.#toldAt;
    if (gap >= minGapMs) this.#tell();
    else this.#cancelTimer = this.#clock.after(minGapMs - gap, () => this.#tell());
  }

  #tell(): void {
    this.#cancelTimer = undefined;
    const news = this.#waiting;
    const { progressToken } = this.#call;
    if (news === undefined || progressToken === undefined) return;
    this.#waiting = undefined;
    this.#told = news.progress;
    this.#toldAt = this.#clock.now();
    this.#call.notify("notifications/progress", { progressToken, ...news });
  }
}

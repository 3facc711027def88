/**
 * Interruptions of one run. An interruption ends the current request or calls, and the run reads its next message.
 *
 * @example
 * ```ts
 * const interrupts = new Interrupts();
 * interrupts.interrupt("the user");
 * interrupts.signal.aborted; // → true
 * ```
 */
export class Interrupts {
  #controller = new AbortController();
  #sender: string | undefined;
  #leave: AbortSignal | undefined;

  /** Aborted by {@link interrupt}, {@link fail} and the signal that it follows; another one after {@link take}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** @param sender Who interrupts, in words for the model: "the user", "the schedule x". */
  interrupt(sender: string): void {
    this.#sender ??= sender;
    this.#controller.abort(new DOMException(`Interrupted by ${sender}`, "AbortError"));
  }

  /** Aborts {@link signal} for a fault that ends the run: nobody has interrupted it. */
  fail(fault: unknown): void {
    this.#controller.abort(fault);
  }

  /** Returns who has interrupted since the last call of this method. */
  take(): string | undefined {
    const sender = this.#sender;
    if (sender === undefined) return undefined;
    this.#sender = undefined;
    this.#controller = new AbortController();
    if (this.#leave?.aborted === true) this.#controller.abort(this.#leave.reason);
    return sender;
  }

  /**
   * Aborts {@link signal} along with another signal, until the returned function is called. A run then needs one signal
   * only, and no `AbortSignal.any` at each step.
   */
  follow(leave: AbortSignal): () => void {
    const abort = () => this.#controller.abort(leave.reason);
    this.#leave = leave;
    if (leave.aborted) abort();
    leave.addEventListener("abort", abort, { once: true });
    return () => leave.removeEventListener("abort", abort);
  }
}

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

  /** Aborted by {@link interrupt}; another one after {@link take}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** @param sender Who interrupts, in words for the model: "the user", "the schedule x". */
  interrupt(sender: string): void {
    this.#sender ??= sender;
    this.#controller.abort(new DOMException(`Interrupted by ${sender}`, "AbortError"));
  }

  /** Returns who has interrupted since the last call of this method. */
  take(): string | undefined {
    const sender = this.#sender;
    if (sender === undefined) return undefined;
    this.#sender = undefined;
    this.#controller = new AbortController();
    return sender;
  }
}

/** Interruptions of one run: whoever interrupts it ends what it does at the moment, and the run reads what is next. */
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

  /** Who interrupted since the last time it was asked. */
  take(): string | undefined {
    const sender = this.#sender;
    if (sender === undefined) return undefined;
    this.#sender = undefined;
    this.#controller = new AbortController();
    return sender;
  }
}

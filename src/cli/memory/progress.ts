import type { Terminal } from "../terminal.ts";

const everyMs = 200;

/** Says on a terminal how far something long is; elsewhere nothing. */
export class Progress {
  readonly #terminal: Terminal;
  #shownAt = Date.now();
  #shown = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  tell(text: string): void {
    const now = Date.now();
    if (this.#terminal.streams.stderr.isTTY !== true || now - this.#shownAt < everyMs) return;
    this.#shownAt = now;
    this.#terminal.err(`\r${text.padEnd(this.#shown)}`);
    this.#shown = text.length;
  }

  end(): void {
    if (this.#shown > 0) this.#terminal.err(`\r${" ".repeat(this.#shown)}\r`);
    this.#shown = 0;
  }
}

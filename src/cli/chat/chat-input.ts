import { createInterface, type Interface } from "node:readline";
import type { Terminal } from "../terminal.ts";
import type { StatusLine } from "./run-display.ts";

const prompt = "› ";

/** Lines that a person types while other things are printed. What is typed stays on the last line. */
export class ChatInput implements StatusLine {
  readonly #terminal: Terminal;
  readonly #isLive: boolean;
  readonly #history: string[] = [];
  readonly #lines: string[] = [];
  #wake: (() => void) | undefined;
  #readline: Interface | undefined;
  #isEnded = false;
  #onLine: ((line: string) => void) | undefined;
  #onInterrupt: () => void = () => {};

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#isLive = terminal.interactive;
  }

  /** Called at Ctrl-C. */
  set onInterrupt(action: () => void) {
    this.#onInterrupt = action;
  }

  /** The next line; undefined at the end of the input. */
  async next(): Promise<string | undefined> {
    this.#open();
    this.show("");
    while (this.#lines.length === 0 && !this.#isEnded)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.clear();
    return this.#lines.shift();
  }

  /** Hands each line over as it comes, until the returned function is called; lines of a pipe wait for {@link next}. */
  listen(action: (line: string) => void): () => void {
    if (!this.#isLive) return () => {};
    this.#onLine = action;
    this.#open();
    return () => {
      this.#onLine = undefined;
    };
  }

  /** Leaves the terminal to a question, which reads keys itself. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isLive) return work();
    this.clear();
    const wasOpen = this.#readline !== undefined;
    this.#suspend();
    try {
      return await work();
    } finally {
      if (wasOpen) this.#open();
    }
  }

  show(text: string): void {
    if (!this.#isLive || this.#readline === undefined) return;
    this.#readline.setPrompt(text === "" ? prompt : `${this.#terminal.paintError("dim", text)} ${prompt}`);
    this.#readline.prompt(true);
  }

  clear(): void {
    if (this.#isLive && this.#readline !== undefined) this.#terminal.err("\r\u001b[J");
  }

  close(): void {
    this.#isEnded = true;
    this.#suspend();
    this.#wake?.();
  }

  #open(): void {
    if (this.#readline !== undefined || this.#isEnded) return;
    const { stdin, stderr } = this.#terminal.streams;
    const readline = createInterface({
      input: stdin,
      ...(this.#isLive && { output: stderr, terminal: true, history: [...this.#history] }),
    });
    this.#readline = readline;
    readline.on("line", (line) => this.#take(line));
    readline.on("SIGINT", () => this.#onInterrupt());
    readline.on("close", () => {
      // Ctrl-D, or the end of a pipe.
      if (this.#readline !== readline) return;
      this.#isEnded = true;
      this.#wake?.();
    });
  }

  #take(line: string): void {
    if (this.#isLive && line.trim() !== "") this.#history.unshift(line);
    if (this.#onLine !== undefined) this.#onLine(line);
    else {
      this.#lines.push(line);
      this.#wake?.();
    }
  }

  #suspend(): void {
    const readline = this.#readline;
    this.#readline = undefined;
    readline?.close();
  }
}

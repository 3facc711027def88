export interface WriterOptions {
  /** Bytes that may wait for the reader. */
  readonly limit: number;
  /** More than that wait. */
  readonly full: () => void;
  /** All of it was read. */
  readonly drained: () => void;
  /** Nobody reads any more. */
  readonly failed: () => void;
}

/** The parts of a writable stream that are used. */
export type WriterOutput = NodeJS.WritableStream & { readonly writableLength?: number };

/** Writes messages a line each; those of one turn of the event loop leave in one piece. */
export class Writer {
  readonly #output: WriterOutput;
  readonly #options: WriterOptions;
  #queue: string[] = [];
  #planned = false;
  #full = false;
  #failed = false;

  constructor(output: WriterOutput, options: WriterOptions) {
    this.#output = output;
    this.#options = options;
    output.on("error", () => this.#fail());
    output.on("close", () => this.#fail());
  }

  get open(): boolean {
    return !this.#failed;
  }

  write(message: string): void {
    if (this.#failed) return;
    this.#queue.push(message);
    if (this.#planned) return;
    this.#planned = true;
    // After the microtasks: calls that end at once have all added their answers by then.
    process.nextTick(() => this.#flush());
  }

  /** Resolves when everything written so far has left, or can't. */
  async emptied(): Promise<void> {
    if (this.#failed) return;
    this.#flush();
    await new Promise<void>((resolve) => {
      this.#output.once("error", () => resolve());
      this.#output.write("", () => resolve());
    });
  }

  #flush(): void {
    this.#planned = false;
    if (this.#failed || this.#queue.length === 0) return;
    const text = `${this.#queue.length === 1 ? this.#queue[0] : this.#queue.join("\n")}\n`;
    this.#queue = [];
    this.#output.write(text);
    if (this.#full || (this.#output.writableLength ?? 0) <= this.#options.limit) return;
    this.#full = true;
    this.#options.full();
    this.#output.once("drain", () => {
      this.#full = false;
      this.#options.drained();
    });
  }

  #fail(): void {
    if (this.#failed) return;
    this.#failed = true;
    this.#queue = [];
    this.#options.failed();
  }
}

const newline = 0x0a;
const carriageReturn = 0x0d;

export interface LineHandlers {
  /** The bytes of one line, without its end; valid only during the call. Empty lines are passed over. */
  readonly line: (bytes: Buffer) => void;
  /** A line grew past the limit; the rest of it is skipped. */
  readonly tooLong: () => void;
}

/**
 * Cuts a stream of bytes into lines. It looks at each byte once and joins the pieces of a line once, so the cost
 * grows with the length of the line and not with its square; of a line that is too long it keeps nothing.
 */
export class LineReader {
  readonly #maxBytes: number;
  readonly #handlers: LineHandlers;
  #pieces: Buffer[] = [];
  #size = 0;
  #skipping = false;

  constructor(maxBytes: number, handlers: LineHandlers) {
    this.#maxBytes = maxBytes;
    this.#handlers = handlers;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#end(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** The stream is over: what it ended with is a line too. */
  end(): void {
    this.#end(Buffer.alloc(0));
  }

  #keep(piece: Buffer): void {
    if (this.#skipping) return;
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) {
      this.#reset();
      this.#skipping = true;
      this.#handlers.tooLong();
    } else this.#pieces.push(piece);
  }

  #end(last: Buffer): void {
    this.#keep(last);
    const skipped = this.#skipping;
    const line = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#reset();
    if (skipped) return;
    const length = line[line.length - 1] === carriageReturn ? line.length - 1 : line.length;
    if (length > 0) this.#handlers.line(line.subarray(0, length));
  }

  #reset(): void {
    this.#pieces = [];
    this.#size = 0;
    this.#skipping = false;
  }
}

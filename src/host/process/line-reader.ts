const newline = 0x0a;
const carriageReturn = 0x0d;

export interface LineHandlers {
  /** The bytes of one line, without its end; valid only during the call. Empty lines are passed over. */
  readonly line: (bytes: Buffer) => void;
  /** A line with these first bytes, 512 at most, grew past the limit; the rest of it is skipped. */
  readonly tooLong: (head: Buffer) => void;
  /** Such a line has ended: its first and last bytes, 512 at most. */
  readonly skipped?: (head: Buffer, tail: Buffer) => void;
}

/** Bytes that are kept of either end of a line that is too long. */
const edgeBytes = 512;

const empty = Buffer.alloc(0);

/** Size of the blocks that a line is kept in until it is whole. */
const blockBytes = 65_536;

/**
 * Cuts a stream of bytes into lines. It looks at each byte once and joins the parts of a line once, so the cost
 * grows with the length of the line and not with its square; of a line that is too long it keeps nothing. The parts
 * are copied, so a chunk may be written over once `push` has returned.
 */
export class LineReader {
  readonly #maxBytes: number;
  readonly #handlers: LineHandlers;
  #blocks: Buffer[] = [];
  #size = 0;
  #skipping = false;
  #head = empty;
  #tail = empty;

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
    const rest = chunk.subarray(start);
    if (this.#fits(rest)) this.#keep(rest);
  }

  /** The stream is over: what it ended with is a line too. */
  end(): void {
    this.#end(Buffer.alloc(0));
  }

  /** Whether the line is no longer than the limit with this piece; says once that it is. */
  #fits(piece: Buffer): boolean {
    if (!this.#skipping && this.#size + piece.length <= this.#maxBytes) return true;
    const before = this.#skipping ? this.#tail : this.#lastKept();
    this.#tail = Buffer.concat([before, piece.subarray(-edgeBytes)]).subarray(-edgeBytes);
    if (this.#skipping) return false;
    const first = this.#blocks[0]?.subarray(0, Math.min(this.#size, edgeBytes)) ?? empty;
    this.#head = Buffer.concat([first, piece.subarray(0, edgeBytes - first.length)]);
    this.#reset();
    this.#skipping = true;
    this.#handlers.tooLong(this.#head);
    return false;
  }

  #keep(piece: Buffer): void {
    for (let from = 0; from < piece.length; ) {
      const index = Math.floor(this.#size / blockBytes);
      const block = (this.#blocks[index] ??= Buffer.allocUnsafeSlow(blockBytes));
      const copied = piece.copy(block, this.#size % blockBytes, from);
      from += copied;
      this.#size += copied;
    }
  }

  #end(last: Buffer): void {
    const line = this.#fits(last) ? this.#join(last) : last;
    const skipped = this.#skipping;
    this.#reset();
    this.#skipping = false;
    if (skipped) {
      this.#handlers.skipped?.(this.#head, this.#tail);
      return;
    }
    const length = line[line.length - 1] === carriageReturn ? line.length - 1 : line.length;
    if (length > 0) this.#handlers.line(line.subarray(0, length));
  }

  #join(last: Buffer): Buffer {
    if (this.#size === 0) return last;
    const line = Buffer.allocUnsafe(this.#size + last.length);
    this.#blocks.forEach((block, index) =>
      block.copy(line, index * blockBytes, 0, this.#size - index * blockBytes),
    );
    last.copy(line, this.#size);
    return line;
  }

  #lastKept(): Buffer {
    const index = Math.floor(this.#size / blockBytes);
    const last = this.#blocks[index]?.subarray(0, this.#size % blockBytes) ?? empty;
    return Buffer.concat([this.#blocks[index - 1]?.subarray(-edgeBytes) ?? empty, last.subarray(-edgeBytes)]);
  }

  /** Forgets the line; one block stays for the next ones. */
  #reset(): void {
    this.#blocks.length = Math.min(this.#blocks.length, 1);
    this.#size = 0;
  }
}

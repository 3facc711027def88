/** A line of a text, or a piece of one that is too long to hold. */
export interface LinePiece {
  readonly text: string;
  /** The beginning of the piece within the whole text, in characters. */
  readonly offset: number;
  /** The number of the line, from 1 on. */
  readonly line: number;
}

/** Longer lines come in pieces of this many characters. */
const pieceChars = 65_536;
/** What two pieces of a line share: a match up to this long lies within one of them. */
const overlapChars = 1000;

/** Cuts a text that comes in parts into lines, in bounded memory. */
export class LinePieces {
  #rest = "";
  #offset = 0;
  #line = 1;

  /** Everything before this has been given out. */
  get searchedTo(): number {
    return this.#offset;
  }

  *push(text: string): Generator<LinePiece> {
    this.#rest += text;
    let start = 0;
    for (let end = this.#rest.indexOf("\n"); end >= 0; end = this.#rest.indexOf("\n", start)) {
      yield* this.#pieces(start, end, { whole: true });
      start = end + 1;
      this.#line++;
    }
    start = yield* this.#pieces(start, this.#rest.length, { whole: false });
    this.#rest = this.#rest.slice(start);
    this.#offset += start;
  }

  /** What comes after the last line break. */
  *end(): Generator<LinePiece> {
    if (this.#rest !== "") yield* this.#pieces(0, this.#rest.length, { whole: true });
  }

  /** Returns where the rest that is held back begins. */
  *#pieces(start: number, end: number, { whole }: { readonly whole: boolean }): Generator<LinePiece, number> {
    let at = start;
    for (; end - at > pieceChars; at += pieceChars - overlapChars) yield this.#piece(at, at + pieceChars);
    if (whole) yield this.#piece(at, end);
    return at;
  }

  #piece(start: number, end: number): LinePiece {
    const stop = end > start && this.#rest[end - 1] === "\r" ? end - 1 : end;
    return { text: this.#rest.slice(start, stop), offset: this.#offset + start, line: this.#line };
  }
}

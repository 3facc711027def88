/** A part of a text, as it reads without the gaps and escapes of an encoding. */
export class DecodedText {
  readonly text: string;
  readonly #source: string;
  readonly #start: number;
  readonly #pattern: RegExp;
  readonly #decode: ((piece: string) => string) | undefined;
  #pieces: Pieces | undefined;

  /** @param decode what a piece that the pattern finds reads as: one character, or none. @default none */
  constructor(source: string, start: number, pattern: RegExp, decode?: (piece: string) => string) {
    this.#source = source;
    this.#start = start;
    this.#pattern = pattern;
    this.#decode = decode;
    this.text = decode === undefined ? source.replace(pattern, "") : source.replace(pattern, decode);
  }

  /** Start, in the whole text, of the character of this text at `at`. */
  findStart(at: number): number {
    const { ends, decodedEnds } = this.#locate();
    const before = lastUpTo(decodedEnds, at);
    return this.#start + (before < 0 ? at : at - (decodedEnds[before] as number) + (ends[before] as number));
  }

  /** End, in the whole text, of the character of this text at `at`. */
  findEnd(at: number): number {
    const start = this.findStart(at);
    const { starts, ends } = this.#locate();
    const piece = lastUpTo(starts, start - this.#start);
    const [from, to] = [starts[piece], ends[piece]];
    return from !== undefined && to !== undefined && from + this.#start === start
      ? to + this.#start
      : start + 1;
  }

  /** How much of this text stands before a place of the whole text. */
  lengthBefore(place: number): number {
    const at = place - this.#start;
    if (at <= 0) return 0;
    const { ends, decodedEnds } = this.#locate();
    const before = lastUpTo(ends, at);
    return before < 0 ? at : at - (ends[before] as number) + (decodedEnds[before] as number);
  }

  #locate(): Pieces {
    if (this.#pieces !== undefined) return this.#pieces;
    const pieces: Pieces = { starts: [], ends: [], decodedEnds: [] };
    let shorter = 0;
    for (const { 0: piece, index } of this.#source.matchAll(this.#pattern)) {
      const end = index + piece.length;
      shorter += piece.length - (this.#decode?.(piece).length ?? 0);
      pieces.starts.push(index);
      pieces.ends.push(end);
      pieces.decodedEnds.push(end - shorter);
    }
    this.#pieces = pieces;
    return pieces;
  }
}

/** The pieces that read otherwise: where they stand in the source, and where they end in what is read. */
interface Pieces {
  readonly starts: number[];
  readonly ends: number[];
  readonly decodedEnds: number[];
}

/** The index of the last of these ascending numbers that is no more than `most`; -1: there is none. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) <= most) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** An expression for one of these characters. */
function toClass(chars: string): string {
  const escaped = Array.from(chars, (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `[${escaped.join("")}]`;
}

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** Characters that an encoding is written in, all of ASCII: digits, and what may stand between them. */
export class Alphabet {
  readonly #has = new Uint8Array(128);
  /** A digit. */
  readonly #digit: RegExp;
  /** The longest run of these. */
  readonly #run: RegExp;

  constructor(digits: string, gaps = "") {
    for (const char of digits + gaps) this.#has[char.charCodeAt(0)] = 1;
    this.#digit = new RegExp(toClass(digits), "g");
    this.#run = new RegExp(`${toClass(digits + gaps)}*`, "y");
  }

  has(code: number): boolean {
    return code < 128 && this.#has[code] !== 0;
  }

  /**
   * The index at which the first stretch of these begins that is `least` long or longer; -1: there is none. It looks at
   * every `least`-th character, and around those that fit.
   */
  indexIn(text: string, from: number, least: number): number {
    const table = this.#has;
    for (let at = from + least - 1; at < text.length; ) {
      const before = at - least;
      let back = at;
      for (; back > before; back--) {
        const code = text.charCodeAt(back);
        if (code > 127 || table[code] === 0) break;
      }
      if (back === before) return before + 1;
      at = back + least;
    }
    return -1;
  }

  /**
   * All runs of these characters with `least` digits or more. Regular expressions take a quarter of the time of a check
   * per character for texts of megabytes.
   */
  *stretchesIn(text: string, from: number, least: number): Generator<Stretch, void> {
    let nextDigit = -1;
    for (let start = this.indexIn(text, from, least); start >= 0; ) {
      const end = this.#endOfRun(text, start);
      let digits = 0;
      if (nextDigit < start) nextDigit = this.#findDigit(text, start);
      // If the run ends before the text does, the next digit found lies behind it, and is not searched for again.
      for (; nextDigit < end && digits < least; digits++) nextDigit = this.#findDigit(text, nextDigit + 1);
      if (digits === least) yield { start, end };
      start = this.indexIn(text, end, least);
    }
  }

  #endOfRun(text: string, start: number): number {
    this.#run.lastIndex = start;
    this.#run.test(text);
    return this.#run.lastIndex;
  }

  /** The position of the next digit, or the text's length if there is none. */
  #findDigit(text: string, from: number): number {
    this.#digit.lastIndex = from;
    return this.#digit.test(text) ? this.#digit.lastIndex - 1 : text.length;
  }

  /** The start of the ending that only these stand in. */
  endingIn(text: string, from: number): number {
    let start = text.length;
    while (start > from && this.has(text.charCodeAt(start - 1))) start--;
    return start;
  }
}

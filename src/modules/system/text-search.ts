import { cutHead, cutTail } from "../../base/index.ts";
import type { FindMatch } from "./line-pattern.ts";
import type { LinePiece } from "./line-pieces.ts";

/** One place where a text matches. Of long lines `text` has the surroundings of the match. */
export interface TextMatch {
  readonly line: number;
  /** The beginning of the match within the whole text, in characters. */
  readonly offset: number;
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export interface SearchBounds {
  readonly maxMatches: number;
  /** Lines shown before and after. */
  readonly contextLines: number;
  /** Matches before this are passed over. */
  readonly from: number;
}

const charsBefore = 100;
const charsAfter = 200;
const contextChars = 200;

/** Looks for matches in the pieces of a text, in their order. */
export class TextSearch {
  readonly matches: TextMatch[] = [];
  readonly #find: FindMatch;
  readonly #bounds: SearchBounds;
  readonly #before: string[] = [];
  #current: { readonly line: number; readonly text: string } | undefined;
  readonly #unfinished: { readonly after: string[] }[] = [];
  /** The end of the last shown match and its surroundings. */
  #shownTo = 0;
  /** The offset of the first match that was not taken for want of room. */
  #nextOffset: number | undefined;

  constructor(find: FindMatch, bounds: SearchBounds) {
    this.#find = find;
    this.#bounds = bounds;
    this.#shownTo = bounds.from;
  }

  /** Set once there are more matches than are wanted: where to go on. */
  get nextOffset(): number | undefined {
    return this.#nextOffset;
  }

  /** All that is wanted is there, lines after the last match included. */
  get done(): boolean {
    return this.#nextOffset !== undefined && this.#unfinished.length === 0;
  }

  push(piece: LinePiece): void {
    if (piece.line !== this.#current?.line) this.#beginLine(piece);
    const { text, offset, line } = piece;
    for (
      let from = Math.max(0, this.#shownTo - offset);
      this.#nextOffset === undefined && from <= text.length;
    ) {
      const found = this.#find(text, from);
      if (found === undefined) break;
      if (this.matches.length === this.#bounds.maxMatches) {
        this.#nextOffset = offset + found.start;
        break;
      }
      const after: string[] = [];
      this.matches.push({
        line,
        offset: offset + found.start,
        text: excerpt(text, found.start),
        before: [...this.#before],
        after,
      });
      if (this.#bounds.contextLines > 0) this.#unfinished.push({ after });
      from = Math.max(found.end, found.start + charsAfter) + 1;
      this.#shownTo = offset + Math.min(from, text.length);
    }
  }

  #beginLine({ text, line }: LinePiece): void {
    const { contextLines } = this.#bounds;
    if (this.#current !== undefined) this.#before.push(this.#current.text);
    if (this.#before.length > contextLines) this.#before.shift();
    this.#current = { line, text: clip(text) };
    for (const { after } of this.#unfinished) after.push(this.#current.text);
    while (this.#unfinished[0]?.after.length === contextLines) this.#unfinished.shift();
  }
}

function clip(line: string): string {
  return line.length <= contextChars ? line : `${cutHead(line, contextChars)}…`;
}

function excerpt(line: string, start: number): string {
  const before = line.slice(0, start);
  const after = line.slice(start);
  const left = before.length <= charsBefore ? before : `…${cutTail(before, charsBefore)}`;
  const right = after.length <= charsAfter ? after : `${cutHead(after, charsAfter)}…`;
  return left + right;
}

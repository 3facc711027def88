import { isUtf8 } from "node:buffer";
import { cutHead, wholeLength } from "../../../base/index.ts";

/** UTF-16 units or bytes of one part: what reading a page from the middle costs at most beside the page itself. */
export const partLength = 65_536;

/** A stretch of an artifact. Its characters are UTF-16 units in a text, otherwise bytes. */
export interface Part {
  readonly charStart: number;
  readonly chars: number;
  readonly byteStart: number;
  readonly bytes: Uint8Array;
}

/** What an artifact holds, to be cut into parts; no part of a text ends inside a character. */
export interface Content {
  readonly isText: boolean;
  readonly bytes: number;
  readonly parts: () => Iterable<Part>;
}

/** Bytes that are UTF-8 are a text; a text's lone surrogates become U+FFFD. */
export function toContent(data: string | Uint8Array): Content {
  if (typeof data === "string") {
    const text = data.toWellFormed();
    return { isText: true, bytes: Buffer.byteLength(text), parts: () => partsOfText(text) };
  }
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const isText = isUtf8(bytes);
  return { isText, bytes: bytes.length, parts: () => (isText ? partsOfUtf8(bytes) : partsOfBytes(bytes)) };
}

function* partsOfText(text: string): Generator<Part, void> {
  let byteStart = 0;
  for (let charStart = 0; charStart < text.length; ) {
    const part = cutHead(text.slice(charStart, charStart + partLength + 1), partLength);
    const bytes = Buffer.from(part);
    yield { charStart, chars: part.length, byteStart, bytes };
    charStart += part.length;
    byteStart += bytes.byteLength;
  }
}

function* partsOfUtf8(whole: Buffer): Generator<Part, void> {
  let charStart = 0;
  for (let byteStart = 0; byteStart < whole.length; ) {
    const piece = whole.subarray(byteStart, byteStart + partLength);
    const bytes = piece.subarray(0, wholeLength(piece));
    const chars = bytes.toString().length;
    yield { charStart, chars, byteStart, bytes };
    charStart += chars;
    byteStart += bytes.length;
  }
}

function* partsOfBytes(whole: Buffer): Generator<Part, void> {
  for (let start = 0; start < whole.length; start += partLength) {
    const bytes = whole.subarray(start, start + partLength);
    yield { charStart: start, chars: bytes.length, byteStart: start, bytes };
  }
}

import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { openFile, type OpenedFile } from "./opened-file.ts";

/** What ripgrep says of one line. */
export interface SeenLine {
  readonly matched: boolean;
  /** From 1. */
  readonly line: number;
  /** Bytes before the match in its line. */
  readonly column: number;
  /** Bytes before the line in the file. */
  readonly offset: number;
  /** The line, or its beginning. */
  readonly seen: Buffer;
}

interface CheckedFile {
  readonly name: string;
  readonly file: OpenedFile | undefined;
  /** The lines of a file in UTF-16. */
  readonly decoded: readonly string[] | undefined;
}

/** Of what ripgrep says, as much must be found in the file: enough to tell one file from another. */
const comparedBytes = 64;
/** Files in UTF-16 are read whole; ripgrep counts their bytes after decoding. */
const maxDecodedBytes = 50 * 1024 * 1024;

/**
 * Shows lines that ripgrep found, from the file itself: opened below the searched folder without following a link. So
 * whatever is exchanged while ripgrep runs, no line of a file outside is ever shown.
 */
export class LineCheck implements Disposable {
  readonly #root: string;
  readonly #maxChars: number;
  readonly #hides: (path: string) => boolean;
  #current: CheckedFile | undefined;
  readonly #buffer: Buffer;

  constructor(root: string, maxChars: number, hides: (path: string) => boolean) {
    this.#root = root;
    this.#maxChars = maxChars;
    this.#hides = hides;
    this.#buffer = Buffer.allocUnsafe(maxChars * 4 + 8);
  }

  /** The line as the file has it; undefined where the file is not to be had, or does not say what ripgrep saw. */
  textOf(path: Buffer, fields: SeenLine): string | undefined {
    const { file, decoded } = this.#open(path);
    if (file === undefined) return undefined;
    return decoded === undefined ? this.#readLine(file, fields) : this.#decodedLine(decoded, fields);
  }

  [Symbol.dispose](): void {
    this.#current?.file?.[Symbol.dispose]();
    this.#current = undefined;
  }

  #open(path: Buffer): CheckedFile {
    const name = path.toString();
    if (this.#current?.name === name) return this.#current;
    this[Symbol.dispose]();
    const file = this.#openFile(join(this.#root, name));
    const decoded = file === undefined ? undefined : decodeUtf16(file, this.#buffer);
    this.#current = { name, file, decoded };
    return this.#current;
  }

  #openFile(path: string): OpenedFile | undefined {
    if (this.#hides(path)) return undefined;
    try {
      return openFile(path, "search");
    } catch {
      // Gone, exchanged for a link, or with a name that is not UTF-8: not shown.
      return undefined;
    }
  }

  #readLine(file: OpenedFile, { offset, column, seen }: SeenLine): string | undefined {
    const buffer = this.#buffer;
    const start = lineStart(buffer.subarray(0, file.read(buffer, offset)));
    const compared = Math.min(seen.length, comparedBytes, start.length);
    if (start.subarray(0, compared).compare(seen, 0, compared) !== 0 || (compared === 0 && seen.length > 0))
      return undefined;
    const whole = toText(start);
    if (whole.length <= this.#maxChars && start.length < buffer.length) return whole;
    // The line is long: show what stands around the match.
    const from = Math.max(0, column - Math.floor(this.#maxChars / 4));
    const part = toText(lineStart(buffer.subarray(0, file.read(buffer, offset + from)))).slice(
      0,
      this.#maxChars,
    );
    return `${from > 0 ? "[…]" : ""}${part}[…]`;
  }

  #decodedLine(lines: readonly string[], { line, column, seen }: SeenLine): string | undefined {
    const text = lines[line - 1];
    if (
      text === undefined ||
      !Buffer.from(text)
        .subarray(0, comparedBytes)
        .equals(seen.subarray(0, Math.min(comparedBytes, Buffer.byteLength(text))))
    ) {
      return undefined;
    }
    if (text.length <= this.#maxChars) return text;
    const from = Math.max(0, column - Math.floor(this.#maxChars / 4));
    return `${from > 0 ? "[…]" : ""}${text.slice(from, from + this.#maxChars)}[…]`;
  }
}

/** Up to the end of the line; without the bytes of the line end. */
function lineStart(bytes: Buffer): Buffer {
  const end = bytes.indexOf(10);
  const line = end === -1 ? bytes : bytes.subarray(0, end);
  return line.at(-1) === 13 ? line.subarray(0, -1) : line;
}

function toText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  // Cut inside a character, or not UTF-8 at all.
  for (let cut = 1; cut <= 3; cut++) {
    const shorter = bytes.subarray(0, -cut);
    if (isUtf8(shorter)) return shorter.toString();
  }
  return bytes.toString("latin1");
}

function decodeUtf16(file: OpenedFile, buffer: Buffer): readonly string[] | undefined {
  const count = file.read(buffer.subarray(0, 2), 0);
  const little = count === 2 && buffer[0] === 0xff && buffer[1] === 0xfe;
  const big = count === 2 && buffer[0] === 0xfe && buffer[1] === 0xff;
  if ((!little && !big) || file.status.size > maxDecodedBytes) return undefined;
  const content = Buffer.allocUnsafe(file.status.size);
  const bytes = content.subarray(0, file.read(content, 0));
  return new TextDecoder(little ? "utf-16le" : "utf-16be").decode(bytes).split(/\r?\n/);
}

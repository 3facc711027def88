import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import { wholeStart } from "../../base/index.ts";
import { type OpenedFile, openFile } from "./opened-file.ts";

/** What ripgrep says of one line. */
export interface SeenLine {
  readonly matched: boolean;
  /** The number of the line, from 1 on. */
  readonly line: number;
  /** Bytes before the match in its line. */
  readonly column: number;
  /** Bytes before the line in the file. */
  readonly offset: number;
  /** The line, or its beginning. */
  readonly seen: Buffer;
}

interface CheckedFile {
  readonly file: OpenedFile;
  /** Bytes of a UTF-8 byte order mark, which ripgrep does not count. */
  readonly bom: number;
  /** The lines of a file in UTF-16. */
  readonly decoded: readonly string[] | undefined;
}

/**
 * The number of bytes of ripgrep's line that must be found in the file: enough to tell one file from another.
 */
const comparedBytes = 64;
/** Read at once, since the next match is often near. */
const windowBytes = 16 * 1024;
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
  #current: { readonly name: string; readonly checked: CheckedFile | undefined } | undefined;
  readonly #buffer: Buffer;
  /** The longest that is needed of a line. */
  readonly #longest: number;
  /** What the buffer holds of the current file. */
  #window = { start: 0, bytes: 0 };

  constructor(root: string, maxChars: number, hides: (path: string) => boolean) {
    this.#root = root;
    this.#maxChars = maxChars;
    this.#hides = hides;
    this.#longest = maxChars * 4 + 8;
    this.#buffer = Buffer.allocUnsafe(Math.max(windowBytes, this.#longest));
  }

  /** The line as the file has it; undefined where the file is not to be had, or does not say what ripgrep saw. */
  readText(path: Buffer, fields: SeenLine): string | undefined {
    const checked = this.#open(path);
    if (checked === undefined) return undefined;
    return checked.decoded === undefined
      ? this.#readLine(checked, fields)
      : this.#decodedLine(checked.decoded, fields);
  }

  [Symbol.dispose](): void {
    this.#current?.checked?.file[Symbol.dispose]();
    this.#current = undefined;
  }

  /** The file of a record; ripgrep gives all of one file before the next. */
  #open(path: Buffer): CheckedFile | undefined {
    const name = path.toString();
    if (this.#current?.name === name) return this.#current.checked;
    this[Symbol.dispose]();
    const file = this.#openFile(join(this.#root, name));
    const checked = file === undefined ? undefined : toChecked(file, this.#buffer);
    this.#window = { start: 0, bytes: 0 };
    this.#current = { name, checked };
    return checked;
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

  #readLine({ file, bom }: CheckedFile, { offset, column, seen }: SeenLine): string | undefined {
    const start = this.#readFrom(file, bom + offset);
    const compared = Math.min(seen.length, comparedBytes, start.bytes.length);
    const same = start.bytes.compare(seen, 0, compared, 0, compared) === 0;
    if (!same || (compared === 0 && seen.length > 0)) return undefined;
    const whole = toText(start);
    if (whole.length <= this.#maxChars && !start.cut) return whole;
    // The line is long: show what stands around the match.
    const from = Math.max(0, column - Math.floor(this.#maxChars / 4));
    const part = toText(atCharacter(this.#readFrom(file, bom + offset + from))).slice(0, this.#maxChars);
    return `${from > 0 ? "[…]" : ""}${part}[…]`;
  }

  /** Reads from there to the end of the line, without the line end, or as much of it as fits. */
  #readFrom(file: OpenedFile, position: number): LinePart {
    let bytes = this.#takeHeld(position);
    let end = bytes.indexOf(10);
    // A line that goes on after what is held is read anew.
    if (end === -1 && bytes.length < this.#longest) {
      this.#window = { start: position, bytes: file.read(this.#buffer, position) };
      bytes = this.#takeHeld(position);
      end = bytes.indexOf(10);
    }
    if (end === -1) return { bytes, cut: bytes.length === this.#longest };
    return { bytes: bytes.subarray(0, bytes[end - 1] === 13 ? end - 1 : end), cut: false };
  }

  /** What the buffer holds from a position on, as much as is needed; nothing where it holds none of it. */
  #takeHeld(position: number): Buffer {
    const from = position - this.#window.start;
    const end = Math.min(this.#window.bytes, from + this.#longest);
    return from < 0 || from >= end ? this.#buffer.subarray(0, 0) : this.#buffer.subarray(from, end);
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

interface LinePart {
  readonly bytes: Buffer;
  /** The line goes on. */
  readonly cut: boolean;
}

/** Without the rest of a UTF-8 character that began before. */
function atCharacter({ bytes, cut }: LinePart): LinePart {
  return { bytes: bytes.subarray(wholeStart(bytes)), cut };
}

/** What is not UTF-8 reads as Latin-1; a character that is cut at the end is left out. */
function toText({ bytes, cut }: LinePart): string {
  for (let less = 0; less <= (cut ? 3 : 0); less++) {
    const shorter = bytes.subarray(0, bytes.length - less);
    if (isUtf8(shorter)) return shorter.toString();
  }
  return bytes.toString("latin1");
}

function toChecked(file: OpenedFile, buffer: Buffer): CheckedFile {
  const [a, b, c] = buffer.subarray(0, file.read(buffer.subarray(0, 3), 0));
  const little = a === 0xff && b === 0xfe;
  const big = a === 0xfe && b === 0xff;
  const bom = a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0;
  if ((!little && !big) || file.status.size > maxDecodedBytes) return { file, bom, decoded: undefined };
  const content = Buffer.allocUnsafe(file.status.size);
  const bytes = content.subarray(0, file.read(content, 0));
  return {
    file,
    bom,
    decoded: new TextDecoder(little ? "utf-16le" : "utf-16be").decode(bytes).split(/\r?\n/),
  };
}

import { setImmediate } from "node:timers/promises";
import { wholeLength } from "../../../base/index.ts";
import type { OpenedFile } from "../../../host/index.ts";
import { FileToolError } from "../errors.ts";
import { getLineIndex, type LineIndex, pieceBefore, pieceBytes } from "./line-index.ts";
import {
  decodeText,
  detectForm,
  headBytes,
  isWide,
  type TextEncoding,
  type TextForm,
} from "./text-encoding.ts";
import { cutToChars, offsetTooLarge } from "./text-window.ts";

export interface ReadTextOptions {
  /** Lines to skip. */
  readonly offset: number;
  /** Lines to return at most. */
  readonly limit: number;
  /** Characters to return at most; whole lines, unless the first alone is longer. */
  readonly maxChars: number;
  /** Count all lines, however long the file. */
  readonly countAll: boolean;
  /** @default found out from the first bytes */
  readonly encoding?: TextEncoding;
  readonly signal: AbortSignal;
}

/** Some lines of a text file. */
export interface TextWindow {
  /** The text as it is in the file, line ends included; without a byte order mark. */
  readonly text: string;
  readonly offset: number;
  readonly lines: number;
  /** The start of the next window; undefined at the end of the file. */
  readonly nextOffset: number | undefined;
  /** Undefined where they were not counted. */
  readonly totalLines: number | undefined;
  readonly encoding: TextEncoding;
  readonly bom: boolean;
  /** The text is only the beginning of the line, which alone has more than `maxChars`. */
  readonly lineCut: boolean;
}

/** Files up to this size are counted in any case: it costs about 2 ms. */
const countedBytes = 4 * 1024 * 1024;
/** The pieces after which others that wait for this thread get a turn. */
const piecesPerTurn = 32;
const newline = 10;

/** Reads a window of lines. A file that grows or shrinks meanwhile gives what was there when each part was read. */
export async function readText(file: OpenedFile, options: ReadTextOptions): Promise<TextWindow> {
  const form = readForm(file, options.encoding);
  const scan = isWide(form.encoding)
    ? await WideScan.open(file, form, options)
    : new LineScan(file, options.signal);
  const start = await scan.seek(options.offset);
  const skipped = options.offset === 0 ? form.bom : 0;
  const bytes = scan.take(start + skipped, options.limit, options.maxChars);
  const decoded = decodeText(bytes.content, form.encoding);
  const cut = cutToChars(decoded.text, bytes.lines, options.maxChars);
  const whole = bytes.atEnd && cut.lines === bytes.lines;
  const end = options.offset + cut.lines;
  const count = options.countAll || file.status.size <= countedBytes || isWide(form.encoding);
  const totalLines = whole ? end : count ? await scan.total() : getLineIndex(file.status.version).totalLines;
  if (cut.lines === 0 && options.offset > 0)
    throw offsetTooLarge(file.path, options.offset, totalLines ?? (await scan.total()));
  return {
    text: cut.text,
    offset: options.offset,
    lines: cut.lines,
    nextOffset: whole || end === totalLines ? undefined : end,
    totalLines,
    encoding: decoded.encoding,
    bom: form.bom > 0,
    lineCut: cut.lineCut,
  };
}

/** How the file is written. Throws FILE_BINARY for what is not text. */
export function readForm(file: OpenedFile, encoding: TextEncoding | undefined): TextForm {
  const head = Buffer.allocUnsafe(Math.min(headBytes, file.status.size));
  const detected = detectForm(head.subarray(0, file.read(head, 0)));
  if (encoding !== undefined) return { encoding, bom: detected?.encoding === encoding ? detected.bom : 0 };
  if (detected !== undefined) return detected;
  throw new FileToolError(
    "FILE_BINARY",
    `Cannot read "${file.path}" as text: it is a binary file of ${file.status.size} bytes; use get_file_info or a command for that kind of file`,
    { details: { path: file.path, bytes: file.status.size } },
  );
}

interface Taken {
  readonly content: Uint8Array;
  readonly lines: number;
  readonly atEnd: boolean;
}

interface Scan {
  /** The byte at which a line begins; the end of the file where there is no such line. */
  seek(line: number): Promise<number>;
  /** Up to `limit` lines from there, or as much of them as can make up `maxChars`. */
  take(start: number, limit: number, maxChars: number): Taken;
  total(): Promise<number>;
}

/** Finds lines by their newline bytes, a piece of the file at a time. */
class LineScan implements Scan {
  readonly #file: OpenedFile;
  readonly #signal: AbortSignal;
  readonly #index: LineIndex;
  readonly #buffer: Buffer;

  constructor(file: OpenedFile, signal: AbortSignal) {
    this.#file = file;
    this.#signal = signal;
    this.#index = getLineIndex(file.status.version);
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(pieceBytes, Math.max(file.status.size, 1)));
  }

  async seek(line: number): Promise<number> {
    const { counts } = this.#index;
    for (let piece = pieceBefore(this.#index, line); ; piece++) {
      const before = counts[piece] as number;
      if (before === line) return 0;
      const bytes = this.#read(piece);
      const { count, end } = countNewlines(bytes, line - before);
      if (count === line - before) return piece * pieceBytes + end;
      if (bytes.length < pieceBytes) return piece * pieceBytes + bytes.length;
      counts[piece + 1] = before + count;
      await this.#turn(piece);
    }
  }

  take(start: number, limit: number, maxChars: number): Taken {
    // A character has at most four bytes; one more byte shows whether the file goes on.
    const wanted = Math.max(0, Math.min(4 * maxChars, this.#file.status.size - start)) + 1;
    const buffer = Buffer.allocUnsafeSlow(wanted);
    const bytes = buffer.subarray(0, this.#file.read(buffer, start));
    const full = bytes.length === wanted && wanted > 4 * maxChars;
    const { count: lines, end } = countNewlines(bytes, limit);
    if (lines === limit)
      return { content: bytes.subarray(0, end), lines, atEnd: end === bytes.length && !full };
    if (full && lines > 0) return { content: bytes.subarray(0, end), lines, atEnd: false };
    if (full) return { content: bytes.subarray(0, wholeLength(bytes)), lines: 1, atEnd: false };
    return { content: bytes, lines: lines + (end < bytes.length ? 1 : 0), atEnd: true };
  }

  async total(): Promise<number> {
    const index = this.#index;
    if (index.totalLines !== undefined) return index.totalLines;
    for (let piece = index.counts.length - 1; ; piece++) {
      const bytes = this.#read(piece);
      const seen = (index.counts[piece] as number) + countNewlines(bytes, bytes.length).count;
      if (bytes.length < pieceBytes) {
        index.totalLines = seen + (this.#endsOpen(piece, bytes) ? 1 : 0);
        return index.totalLines;
      }
      index.counts[piece + 1] = seen;
      await this.#turn(piece);
    }
  }

  #read(piece: number): Buffer {
    return this.#buffer.subarray(0, this.#file.read(this.#buffer, piece * pieceBytes));
  }

  /** Whether the last line has no newline. */
  #endsOpen(piece: number, last: Buffer): boolean {
    if (last.length > 0) return last.at(-1) !== newline;
    if (piece === 0) return false;
    const byte = Buffer.allocUnsafe(1);
    this.#file.read(byte, piece * pieceBytes - 1);
    return byte[0] !== newline;
  }

  async #turn(piece: number): Promise<void> {
    this.#signal.throwIfAborted();
    if (piece % piecesPerTurn === piecesPerTurn - 1) await setImmediate();
  }
}

/** Counts newlines, at most `wanted`; `end` is where the line after the last of them begins. */
function countNewlines(bytes: Buffer, wanted: number): { readonly count: number; readonly end: number } {
  let count = 0;
  let end = 0;
  while (count < wanted) {
    const at = bytes.indexOf(newline, end);
    if (at === -1) break;
    count++;
    end = at + 1;
  }
  return { count, end };
}

/** UTF-16: a newline is two bytes, and such files are rare; the whole of it is held. */
class WideScan implements Scan {
  readonly #content: Buffer;
  /** The places at which the lines begin. */
  readonly #starts: number[] = [];

  private constructor(content: Buffer, { encoding, bom }: TextForm) {
    this.#content = content;
    const mark = Buffer.from(encoding === "utf-16le" ? [newline, 0] : [0, newline]);
    if (content.length > bom) this.#starts.push(0);
    for (let at = content.indexOf(mark); at !== -1; at = content.indexOf(mark, at + 1)) {
      if (at % 2 === 0 && at + 2 < content.length) this.#starts.push(at + 2);
    }
  }

  static async open(file: OpenedFile, form: TextForm, { signal }: ReadTextOptions): Promise<WideScan> {
    return new WideScan(await file.bytes(file.status.size, signal), form);
  }

  seek(line: number): Promise<number> {
    return Promise.resolve(this.#starts[line] ?? this.#content.length);
  }

  take(start: number, limit: number): Taken {
    const first = this.#starts.findLastIndex((at) => at <= start);
    const lines = Math.min(limit, start >= this.#content.length ? 0 : this.#starts.length - first);
    const end = this.#starts[first + lines] ?? this.#content.length;
    return { content: this.#content.subarray(start, end), lines, atEnd: end === this.#content.length };
  }

  total(): Promise<number> {
    return Promise.resolve(this.#starts.length);
  }
}

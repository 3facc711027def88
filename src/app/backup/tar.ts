import type { FileHandle } from "node:fs/promises";

/** A file in an archive. */
export interface TarEntry {
  /** Relative path with `/` as the separator. */
  readonly path: string;
  readonly bytes: number;
}

const block = 512;
/** Longest path, in bytes, that fits into the header. */
const maxName = 100;
/** Largest size that eleven octal digits can hold. */
const maxOctal = 0o77777777777;

/** Builds the blocks before a file's content: a POSIX header, preceded by an extended one if a value does not fit. */
export function tarHead({ path, bytes }: TarEntry): Buffer {
  const extended = [
    ...(Buffer.byteLength(path) > maxName ? [paxRecord("path", path)] : []),
    ...(bytes > maxOctal ? [paxRecord("size", String(bytes))] : []),
  ].join("");
  const head = ustar({ path, bytes: Math.min(bytes, maxOctal) }, "0");
  if (extended === "") return head;
  const text = Buffer.from(extended);
  return Buffer.concat([
    ustar({ path: "pax", bytes: text.length }, "x"),
    text,
    tarPadding(text.length),
    head,
  ]);
}

/** Zero bytes that fill up the last block of a file's content. */
export function tarPadding(bytes: number): Buffer {
  return Buffer.alloc((block - (bytes % block)) % block);
}

/** The end of an archive. */
export const tarEnd: Buffer = Buffer.alloc(2 * block);

function ustar({ path, bytes }: TarEntry, type: "0" | "x"): Buffer {
  const head = Buffer.alloc(block);
  Buffer.from(path).copy(head, 0, 0, maxName);
  head.write("0000600\0", 100);
  head.write("0000000\0", 108);
  head.write("0000000\0", 116);
  head.write(`${bytes.toString(8).padStart(11, "0")}\0`, 124);
  head.write("00000000000\0", 136);
  head.write("        ", 148);
  head.write(type, 156);
  head.write("ustar\x0000", 257, "latin1");
  head.write(`${checksum(head).toString(8).padStart(6, "0")}\0 `, 148);
  return head;
}

/** Formats one pax record; the length at its start includes its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return `${length} ${key}=${value}\n`;
}

/** Header checksum, computed with the checksum field filled with spaces. */
function checksum(head: Buffer): number {
  let sum = 8 * 32;
  for (const [at, byte] of head.entries()) if (at < 148 || at >= 156) sum += byte;
  return sum;
}

/** A file read from an archive; its content must be read or skipped before the next file. */
export interface ReadEntry extends TarEntry {
  content(): AsyncGenerator<Buffer>;
}

const pieceBytes = 1_048_576;
const maxExtended = 65_536;

/**
 * Reads the files of an archive, one after the other.
 *
 * @throws {TypeError} saying what is wrong with the archive.
 */
export async function* readTar(file: FileHandle): AsyncGenerator<ReadEntry> {
  let at = 0;
  let extended = new Map<string, string>();
  for (;;) {
    const head = await readExactly(file, at, block);
    if (head.every((byte) => byte === 0)) return;
    if (Number.parseInt(head.toString("latin1", 148, 156), 8) !== checksum(head))
      throw new TypeError("it is no archive, or it is damaged");
    at += block;
    const type = head.toString("latin1", 156, 157);
    const size = Number.parseInt(head.toString("latin1", 124, 136), 8);
    if (!isSize(size)) throw new TypeError(noSize);
    if (type === "x") {
      if (size > maxExtended) throw new TypeError("it has a header that is too long");
      extended = readPax(await readExactly(file, at, size));
      at += size + tarPadding(size).length;
      continue;
    }
    if (type !== "0") throw new TypeError("it has something in it that is no file");
    const path = extended.get("path") ?? readText(head.subarray(0, maxName));
    const bytes = Number(extended.get("size") ?? size);
    if (!isSize(bytes)) throw new TypeError(noSize);
    extended = new Map();
    const from = at;
    yield { path, bytes, content: () => readContent(file, from, bytes) };
    at += bytes + tarPadding(bytes).length;
  }
}

const noSize = "one of its sizes is no number of bytes";

function isSize(bytes: number): boolean {
  return Number.isSafeInteger(bytes) && bytes >= 0;
}

async function* readContent(file: FileHandle, from: number, bytes: number): AsyncGenerator<Buffer> {
  for (let done = 0; done < bytes; ) {
    const piece = await readExactly(file, from + done, Math.min(pieceBytes, bytes - done));
    done += piece.length;
    yield piece;
  }
}

async function readExactly(file: FileHandle, at: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes);
  for (let filled = 0; filled < bytes; ) {
    const { bytesRead } = await file.read(buffer, filled, bytes - filled, at + filled);
    if (bytesRead === 0) throw new TypeError("it ends too early");
    filled += bytesRead;
  }
  return buffer;
}

function readPax(text: Buffer): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const space = text.indexOf(" ", at);
    const length = Number(text.toString("latin1", at, space));
    if (space < 0 || !Number.isInteger(length) || length <= 0)
      throw new TypeError("one of its headers is damaged");
    const record = text.toString("utf8", space + 1, at + length - 1);
    const equals = record.indexOf("=");
    found.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return found;
}

function readText(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString("utf8", 0, end < 0 ? field.length : end);
}

import { closeSync, fstatSync, openSync, read, readSync } from "node:fs";
import { promisify } from "node:util";

/** What a file of word vectors says of itself. */
export interface WordTableHeader {
  readonly name: string;
  readonly license: string;
  /** Codes of the languages whose words it was made for. */
  readonly languages: readonly string[];
  readonly dims: number;
  readonly rows: number;
}

/** Vectors of words and of parts of words. A key is the word; one that begins a word has a space before it. */
export interface WordTable {
  readonly header: WordTableHeader;
  /** The row of a key by its hash (see {@link hashFrom}); -1 where there is none. */
  findRow(hash: number): number;
  /** Adds a row's vector to `sum`, which has 64 bits a number: rounding to 32 at each word takes half as long again. */
  add(row: number, sum: Float64Array): void;
  /** Reads the file once, in order: the system then has it in memory, and no row costs a seek of a disk. */
  readAhead(): Promise<void>;
  /** Closes the file. */
  close(): Promise<void>;
}

const magic = "haftvec1";
const prime = 16_777_619;

/** The hash (FNV-1a, 32 bits) of no text. */
export const emptyHash = 2_166_136_261;

/** The hash of a text of which all before `code` has the hash `hash`; a code is a UTF-16 unit. */
export function hashFrom(hash: number, code: number): number {
  return Math.imul(hash ^ code, prime) >>> 0;
}

/** Rows that are kept in memory once read; a power of two. Texts repeat a few words far more often than all others. */
const keptRows = 4096;
const pieceBytes = 256 * 1024;

/**
 * Opens the file that `scripts/encoder` writes: the word `haftvec1`, the length of the header, the header as JSON, then
 * the hashes of the keys in rising order, a scale a row, and the rows in 8 bits a number. Numbers are little-endian.
 * Only hashes and scales are kept in memory, a twentieth of the file; a row is read when a text has its word.
 *
 * @throws {Error} if it is no such file, or not all of it.
 */
export async function openWordTable(path: string | URL): Promise<WordTable> {
  const file = openSync(path, "r");
  try {
    return readTable(file);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function readTable(file: number): WordTable {
  const start = Buffer.alloc(magic.length + 4);
  if (readSync(file, start) < start.length || start.toString("latin1", 0, magic.length) !== magic)
    throw new Error("it is no file of word vectors, or one of another haft");
  const text = Buffer.alloc(start.readUInt32LE(magic.length));
  readSync(file, text);
  const header = JSON.parse(text.toString("utf8")) as WordTableHeader;
  const { rows, dims } = header;
  const hashesAt = start.length + text.length;
  const rowsAt = hashesAt + rows * 8;
  const { size } = fstatSync(file);
  if (size !== rowsAt + rows * dims)
    throw new Error(`it has ${size} bytes, which is not what its header says`);
  const numbers = new Uint8Array(rows * 8);
  readSync(file, numbers);
  const hashes = new Uint32Array(numbers.buffer, 0, rows);
  const scales = new Float32Array(numbers.buffer, rows * 4, rows);
  const kept = new KeptRows(file, rowsAt, dims);
  const closing = new AbortController();
  let passing: Promise<void> | undefined;
  return {
    header,
    findRow: (hash) => findIndex(hashes, hash),
    add: (row, sum) => {
      const scale = scales[row] as number;
      const from = kept.find(row);
      for (let at = 0; at < dims; at++)
        sum[at] = (sum[at] as number) + scale * (kept.numbers[from + at] as number);
    },
    readAhead: () => (passing ??= passThrough(file, rowsAt, closing.signal)),
    close: async () => {
      closing.abort();
      await passing;
      closeSync(file);
    },
  };
}

/** The rows that were read last: each has one place, which it shares with others. */
class KeptRows {
  readonly numbers: Int8Array;
  readonly #places = new Int32Array(keptRows).fill(-1);
  readonly #file: number;
  readonly #rowsAt: number;
  readonly #dims: number;

  constructor(file: number, rowsAt: number, dims: number) {
    this.#file = file;
    this.#rowsAt = rowsAt;
    this.#dims = dims;
    this.numbers = new Int8Array(keptRows * dims);
  }

  /** Reads the row unless it is there; returns the index at which it begins in `numbers`. */
  find(row: number): number {
    const place = row % keptRows;
    const from = place * this.#dims;
    if (this.#places[place] === row) return from;
    const position = this.#rowsAt + row * this.#dims;
    this.#places[place] = -1;
    if (readSync(this.#file, this.numbers, from, this.#dims, position) < this.#dims)
      throw new Error("it has become shorter");
    this.#places[place] = row;
    return from;
  }
}

/** Reads what is left of a file. What can't be read is told when a row of it is needed. */
async function passThrough(file: number, from: number, signal: AbortSignal): Promise<void> {
  const piece = new Uint8Array(pieceBytes);
  const readPiece = promisify(read);
  try {
    for (let at = from, length = 1; length > 0 && !signal.aborted; at += length)
      length = (await readPiece(file, piece, 0, pieceBytes, at)).bytesRead;
  } catch {}
}

/** Finds a number among rising ones by halves; -1 where it is not among them. */
function findIndex(sorted: Uint32Array, wanted: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = sorted[middle] as number;
    if (found === wanted) return middle;
    if (found < wanted) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

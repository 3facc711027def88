import { readFile } from "node:fs/promises";

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
}

const magic = "haftvec1";
const prime = 16_777_619;

/** The hash (FNV-1a, 32 bits) of no text. */
export const emptyHash = 2_166_136_261;

/** The hash of a text of which all before `code` has the hash `hash`; a code is a UTF-16 unit. */
export function hashFrom(hash: number, code: number): number {
  return Math.imul(hash ^ code, prime) >>> 0;
}

/**
 * Reads the file that `scripts/encoder` writes: the word `haftvec1`, the length of the header, the header as JSON, then
 * the hashes of the keys in rising order, a scale a row, and the rows in 8 bits a number. Numbers are little-endian.
 *
 * @throws {Error} if it is no such file, or not all of it.
 */
export async function readWordTable(path: string | URL): Promise<WordTable> {
  const bytes = await readFile(path);
  if (bytes.toString("latin1", 0, magic.length) !== magic)
    throw new Error("it is no file of word vectors, or one of another haft");
  const headerAt = magic.length + 4;
  const hashesAt = headerAt + bytes.readUInt32LE(magic.length);
  const header = JSON.parse(bytes.toString("utf8", headerAt, hashesAt)) as WordTableHeader;
  const { rows, dims } = header;
  if (bytes.length !== hashesAt + rows * (8 + dims))
    throw new Error(`it has ${bytes.length} bytes, which is not what its header says`);
  // Arrays of numbers have to begin at a multiple of four of what they look into.
  const { buffer } = Uint8Array.prototype.slice.call(bytes, hashesAt, hashesAt + rows * 8);
  const hashes = new Uint32Array(buffer, 0, rows);
  const scales = new Float32Array(buffer, rows * 4, rows);
  const numbers = new Int8Array(bytes.buffer, bytes.byteOffset + hashesAt + rows * 8, rows * dims);
  return {
    header,
    findRow: (hash) => findIndex(hashes, hash),
    add: (row, sum) => {
      const scale = scales[row] as number;
      const from = row * dims;
      for (let at = 0; at < dims; at++)
        sum[at] = (sum[at] as number) + scale * (numbers[from + at] as number);
    },
  };
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

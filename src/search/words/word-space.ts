import { RecentMap } from "../../base/index.ts";
import { multiplyRows } from "./row-products.ts";

/** A word near another one. */
export interface WordCosine {
  readonly word: string;
  readonly cosine: number;
}

/** Less says nothing: of the packaged vectors, two words drawn at random reach it once in a hundred times. */
export const leastNearCosine = 0.3;
/** So many words near one are known; others are hardly about the same. */
const mostNear = 12;
const bitsAtOnce = 32;
/** Words whose near ones are kept. */
const mostKept = 2000;
/** The highest number of 8 bits. */
const highest = 127;

/** Words compared with each other by what they mean. */
export class WordSpace {
  readonly #words: string[] = [];
  readonly #known = new Set<string>();
  #near = new RecentMap<string, readonly WordCosine[]>(mostKept);
  /** The numbers of each vector. All have one length. */
  #dimensions = 0;
  #rows = new Int8Array(0);
  /** What each number of a row is multiplied by. */
  #scales = new Float32Array(0);
  /** The signs of each row, a bit each: vectors that are near differ in few. */
  #codes = new Uint32Array(0);

  has(word: string): boolean {
    return this.#known.has(word);
  }

  /**
   * Adds words that it does not have. @param vectors of length 1, or of zeros for what is not known
   *
   * @throws {RangeError} for a vector of another length than those before
   */
  add(words: readonly string[], vectors: readonly Float32Array[]): void {
    this.#dimensions ||= vectors[0]?.length ?? 0;
    this.#reserve(this.#words.length + words.length);
    for (const [at, word] of words.entries()) {
      if (this.#known.has(word)) continue;
      const vector = vectors[at];
      if (vector?.length !== this.#dimensions)
        throw new RangeError(
          `Cannot compare "${word}": its vector has ${vector?.length ?? 0} numbers, others have ${this.#dimensions}`,
        );
      const row = this.#words.length;
      this.#words.push(word);
      this.#known.add(word);
      this.#write(row, vector);
      writeSigns(vector, this.#codes, row * this.#codeLength);
    }
    this.#near = new RecentMap(mostKept);
  }

  /** The words nearest to this one, without itself; the nearest first. @param vector that of the word, of length 1 */
  near(word: string, vector: Float32Array): readonly WordCosine[] {
    const near = this.#near.get(word) ?? this.#findNear(word, vector);
    this.#near.set(word, near);
    return near;
  }

  #findNear(word: string, vector: Float32Array): readonly WordCosine[] {
    const code = new Uint32Array(this.#codeLength);
    writeSigns(vector, code, 0);
    const most = Math.round(Math.ceil(this.#dimensions / bitsAtOnce) * bitsAtOnce * mostSignsDiffering);
    const alike = findAlike(this.#codes.subarray(0, this.#words.length * code.length), code, most);
    const found: WordCosine[] = [];
    const products = multiplyRows(this.#rows, alike, vector);
    let least = leastNearCosine;
    for (let at = 0; at < products.length; at++) {
      const row = alike[at] as number;
      const cosine = (products[at] as number) * (this.#scales[row] as number);
      if (cosine <= least) continue;
      const other = this.#words[row] as string;
      if (other !== word) putNearest(found, { word: other, cosine });
      if (found.length === mostNear) least = found[mostNear - 1]?.cosine ?? least;
    }
    return found;
  }

  #write(row: number, vector: Float32Array): void {
    let most = 0;
    for (const number of vector) most = Math.max(most, Math.abs(number));
    const scale = most / highest;
    this.#scales[row] = scale;
    for (let at = 0, to = row * vector.length; scale > 0 && at < vector.length; at++, to++)
      this.#rows[to] = Math.round((vector[at] as number) / scale);
  }

  /** Numbers of a code: an even number of them. */
  get #codeLength(): number {
    return 2 * Math.ceil(this.#dimensions / (2 * bitsAtOnce));
  }

  #reserve(words: number): void {
    if (words * this.#dimensions <= this.#rows.length) return;
    const most = Math.max(words, 2 * this.#words.length);
    const [rows, scales, codes] = [this.#rows, this.#scales, this.#codes];
    this.#rows = new Int8Array(most * this.#dimensions);
    this.#scales = new Float32Array(most);
    this.#codes = new Uint32Array(most * this.#codeLength);
    this.#rows.set(rows);
    this.#scales.set(scales);
    this.#codes.set(codes);
  }
}

/**
 * Vectors with the least cosine differ in acos(0.3) / pi = .40 of their signs, unrelated ones in half. Those that differ in
 * no more than this are compared exactly: of the packaged vectors one unrelated word of thirty, nine of ten with a cosine
 * of .4 to .5, and all with more.
 */
const mostSignsDiffering = 0.41;

/** The rows whose signs differ from those of `code` in few places. */
function findAlike(codes: Uint32Array, code: Uint32Array, most: number): Uint32Array {
  const rows = new Uint32Array(codes.length / Math.max(1, code.length));
  let found = 0;
  for (let row = 0, at = 0; at < codes.length; row++) {
    let differing = 0;
    for (let place = 0; place < code.length; place += 2, at += 2)
      differing += countBits(
        (code[place] as number) ^ (codes[at] as number),
        (code[place + 1] as number) ^ (codes[at + 1] as number),
      );
    if (differing <= most) rows[found++] = row;
  }
  return rows.subarray(0, found);
}

/** Puts a word behind those that are as near or nearer, and keeps so many as are known of a word. */
function putNearest(found: WordCosine[], word: WordCosine): void {
  let at = found.length;
  while (at > 0 && (found[at - 1] as WordCosine).cosine < word.cosine) at--;
  found.splice(at, 0, word);
  if (found.length > mostNear) found.pop();
}

function writeSigns(vector: Float32Array, codes: Uint32Array, start: number): void {
  for (let at = 0; at < vector.length; at++) {
    const code = start + (at >>> 5);
    if ((vector[at] as number) > 0) codes[code] = (codes[code] as number) | (1 << (at & 31));
  }
}

/** The bits that are set in two numbers, added up side by side (Warren, "Hacker's Delight", 5-1). */
function countBits(one: number, other: number): number {
  const fours = countFours(one) + countFours(other);
  const eights = (fours & 0x0f0f0f0f) + ((fours >>> 4) & 0x0f0f0f0f);
  return Math.imul(eights, 0x01010101) >>> 24;
}

/** The bits that are set in each four bits of a number. */
function countFours(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  return (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
}

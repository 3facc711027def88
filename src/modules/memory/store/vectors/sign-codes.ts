import { blockBytes } from "./kernel/code-kernel.ts";

/** The bytes of one code: a bit a number, in whole blocks. */
export function countCodeBytes(dimension: number): number {
  return Math.ceil(dimension / 8 / blockBytes) * blockBytes;
}

/**
 * One bit a number: its sign. Codes of vectors that are near differ in few bits. Taking the mean of all vectors off
 * first finds no more, not of a model either whose vectors all lie close together.
 */
export function signCode(vector: Float32Array): Uint8Array {
  const code = new Uint8Array(countCodeBytes(vector.length));
  for (const [at, number] of vector.entries()) {
    if (number > 0) code[at >> 3] = (code[at >> 3] as number) | (1 << (at & 7));
  }
  return code;
}

/**
 * How near a vector lies to those of codes, by its own numbers instead of its bits: a finer measure than the count of
 * bits, for those that the count has found.
 */
export class CodeGauge {
  /** What each value of each byte of a code adds. */
  readonly #sums: Float32Array;

  constructor(vector: Float32Array) {
    const bytes = countCodeBytes(vector.length);
    this.#sums = new Float32Array(bytes * 256);
    for (let byte = 0; byte < bytes; byte++) {
      for (let value = 1; value < 256; value++) {
        const bit = 31 - Math.clz32(value & -value);
        const rest = this.#sums[byte * 256 + (value & (value - 1))] as number;
        this.#sums[byte * 256 + value] = rest + (vector[byte * 8 + bit] ?? 0);
      }
    }
  }

  /** Higher is nearer; only the order of codes of one model means anything. */
  of(codes: Uint8Array, start: number): number {
    const sums = this.#sums;
    const bytes = sums.length / 256;
    let total = 0;
    for (let byte = 0; byte < bytes; byte++) {
      total += sums[byte * 256 + (codes[start + byte] as number)] as number;
    }
    return total;
  }
}

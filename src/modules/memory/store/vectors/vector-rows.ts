import { multiplyRows } from "../../../../search/index.ts";
import type { SmallVector } from "./small-vector.ts";

const leastRows = 256;
/** The place of an entry that has no vector. */
const nowhere = -1;

/** Vectors of entries, by row number. */
export class VectorRows {
  readonly #dimension: number;
  readonly #places = new Map<number, number>();
  #numbers: Int8Array;
  #scales: Float64Array;
  #count = 0;

  constructor(dimension: number) {
    this.#dimension = dimension;
    this.#numbers = new Int8Array(0);
    this.#scales = new Float64Array(0);
  }

  /** Roughly what is kept. */
  get bytes(): number {
    return this.#numbers.byteLength + this.#scales.byteLength + 32 * this.#places.size;
  }

  /** Whether the entry's vector is here, or it is known to have none. */
  has(seq: number): boolean {
    return this.#places.has(seq);
  }

  /** @param vector undefined: the entry has none */
  add(seq: number, vector: SmallVector | undefined): void {
    if (this.#places.has(seq)) return;
    this.#places.set(seq, vector === undefined ? nowhere : this.#count);
    if (vector === undefined) return;
    this.#reserve(this.#count + 1);
    this.#numbers.set(vector.numbers, this.#count * this.#dimension);
    this.#scales[this.#count] = vector.scale;
    this.#count++;
  }

  /** Cosines with a vector of length 1, in the order of `seqs`, of the entries that have a vector. */
  computeCosines(seqs: readonly number[], unit: Float32Array): Map<number, number> {
    const having: number[] = [];
    const places = new Uint32Array(seqs.length);
    for (const seq of seqs) {
      const place = this.#places.get(seq) ?? nowhere;
      if (place !== nowhere) places[having.push(seq) - 1] = place;
    }
    const products = multiplyRows(this.#numbers, places.subarray(0, having.length), unit);
    const cosines = new Map<number, number>();
    for (let at = 0; at < having.length; at++) {
      const scale = this.#scales[places[at] as number] as number;
      cosines.set(having[at] as number, (products[at] as number) * scale);
    }
    return cosines;
  }

  #reserve(rows: number): void {
    if (rows <= this.#scales.length) return;
    const most = Math.max(leastRows, 2 * this.#scales.length);
    const [numbers, scales] = [this.#numbers, this.#scales];
    this.#numbers = new Int8Array(most * this.#dimension);
    this.#scales = new Float64Array(most);
    this.#numbers.set(numbers);
    this.#scales.set(scales);
  }
}

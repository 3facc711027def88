/**
 * Vectors compared by cosine, each with all of them. As in {@link LexicalIndex}, a slot is a small whole number that its
 * owner chooses. All vectors have one length.
 */
export class VectorIndex {
  readonly dimensions: number;
  /** One row of length 1 a slot; zeros where there is none. */
  #rows: Float32Array = new Float32Array(0);
  readonly #there = new Set<number>();

  constructor(dimensions: number) {
    this.dimensions = dimensions;
  }

  /** Vectors there are. */
  get size(): number {
    return this.#there.size;
  }

  has(slot: number): boolean {
    return this.#there.has(slot);
  }

  /** Takes the place of what was in the slot. A vector that points nowhere is none. @throws {RangeError} for one of another length */
  put(slot: number, vector: Float32Array): void {
    this.#check(vector);
    this.remove(slot);
    const length = Math.sqrt(dotAt(vector, 0, vector));
    if (!(length > 0 && length < Number.POSITIVE_INFINITY)) return;
    this.#reserve(slot);
    const row = this.#row(slot);
    for (let at = 0; at < row.length; at++) row[at] = (vector[at] as number) / length;
    this.#there.add(slot);
  }

  remove(slot: number): void {
    if (this.#there.delete(slot)) this.#row(slot).fill(0);
  }

  /** By slot, -1 to 1; NaN where there is no vector. @throws {RangeError} for a query of another length */
  cosines(query: Float32Array): Float64Array {
    this.#check(query);
    const length = Math.sqrt(dotAt(query, 0, query)) || 1;
    const cosines = new Float64Array(this.#rows.length / this.dimensions).fill(Number.NaN);
    for (const slot of this.#there) cosines[slot] = dotAt(this.#rows, slot * this.dimensions, query) / length;
    return cosines;
  }

  /** NaN where there is no vector. @throws {RangeError} for a query of another length */
  cosine(slot: number, query: Float32Array): number {
    this.#check(query);
    if (!this.#there.has(slot)) return Number.NaN;
    return dotAt(this.#rows, slot * this.dimensions, query) / (Math.sqrt(dotAt(query, 0, query)) || 1);
  }

  #row(slot: number): Float32Array {
    return this.#rows.subarray(slot * this.dimensions, (slot + 1) * this.dimensions);
  }

  #reserve(slot: number): void {
    const needed = (slot + 1) * this.dimensions;
    if (needed <= this.#rows.length) return;
    const larger = new Float32Array(Math.max(needed, this.#rows.length * 2, 64 * this.dimensions));
    larger.set(this.#rows);
    this.#rows = larger;
  }

  #check(vector: Float32Array): void {
    if (vector.length === this.dimensions) return;
    throw new RangeError(
      `Cannot compare a vector of ${vector.length} numbers: those of this index have ${this.dimensions}`,
    );
  }
}

/** Four sums at once: the processor need not wait for one addition before the next. */
function dotAt(rows: Float32Array, start: number, query: Float32Array): number {
  const length = query.length;
  const whole = length - (length % 4);
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let at = 0;
  for (; at < whole; at += 4) {
    const row = start + at;
    a += (rows[row] as number) * (query[at] as number);
    b += (rows[row + 1] as number) * (query[at + 1] as number);
    c += (rows[row + 2] as number) * (query[at + 2] as number);
    d += (rows[row + 3] as number) * (query[at + 3] as number);
  }
  for (; at < length; at++) a += (rows[start + at] as number) * (query[at] as number);
  return a + b + c + d;
}

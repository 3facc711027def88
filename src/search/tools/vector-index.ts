/**
 * Vectors compared by cosine, each with all of them. As in {@link LexicalIndex}, a slot is a small whole number that its
 * owner chooses. All vectors have one length.
 */
export class VectorIndex {
  readonly dimensions: number;
  /** One row of length 1 a slot; zeros where there is none. */
  #rows: Float32Array = new Float32Array(0);
  /** 1 where there is a vector, by slot. */
  #there: Uint8Array = new Uint8Array(0);
  #size = 0;

  constructor(dimensions: number) {
    this.dimensions = dimensions;
  }

  /** Vectors there are. */
  get size(): number {
    return this.#size;
  }

  has(slot: number): boolean {
    return this.#there[slot] === 1;
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
    this.#there[slot] = 1;
    this.#size++;
  }

  remove(slot: number): void {
    if (!this.has(slot)) return;
    this.#there[slot] = 0;
    this.#size--;
    this.#row(slot).fill(0);
  }

  /**
   * The cosines by slot, -1 to 1; NaN where there is no vector. @throws {RangeError} for a query of another
   * length
   */
  cosines(query: Float32Array): Float64Array {
    this.#check(query);
    const length = Math.sqrt(dotAt(query, 0, query)) || 1;
    const cosines = new Float64Array(this.#there.length).fill(Number.NaN);
    const [there, rows, dimensions] = [this.#there, this.#rows, this.dimensions];
    for (let slot = 0; slot < cosines.length; slot++) {
      if (there[slot] === 1) cosines[slot] = dotAt(rows, slot * dimensions, query) / length;
    }
    return cosines;
  }

  /** NaN where there is no vector. @throws {RangeError} for a query of another length */
  cosine(slot: number, query: Float32Array): number {
    this.#check(query);
    if (!this.has(slot)) return Number.NaN;
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
    const there = new Uint8Array(larger.length / this.dimensions);
    there.set(this.#there);
    this.#there = there;
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

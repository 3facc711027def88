/** How the words of one field count. */
export interface LexicalField {
  readonly weight: number;
  /** 0 to 1: how much a field longer than usual makes each of its words count less. */
  readonly lengthPenalty: number;
}

/** What {@link LexicalIndex.export} keeps: the terms, and all else as whole numbers. */
export interface KeptTerms {
  readonly terms: readonly string[];
  readonly numbers: Uint32Array;
}

/** How soon more of the same word in one document stops adding: the k1 of BM25. */
const saturation = 1.2;
/** The counts of a term in the fields of one document share one number of 30 bits. */
const bitsPerField = 6;
const mostCounted = 2 ** bitsPerField - 1;
const mostFields = 5;
const highestSlot = 2 ** 20;

/**
 * BM25F: documents of several fields, ranked by the words they share with a query. A document is its slot, a small
 * whole number that its owner chooses. Nothing is approximate: after any changes the scores are those of an index that
 * was made anew.
 */
export class LexicalIndex {
  readonly #fields: readonly LexicalField[];
  readonly #postings = new Map<string, Postings>();
  readonly #documents: (IndexedDocument | undefined)[] = [];
  readonly #totals: number[];
  #size = 0;
  /** Of each slot and field, what one occurrence counts there. Undefined: lengths have changed since. */
  #worths: Float64Array | undefined;

  constructor(fields: readonly LexicalField[]) {
    if (fields.length > mostFields) {
      throw new RangeError(`Cannot index ${fields.length} fields: counts of at most ${mostFields} fit`);
    }
    this.#fields = fields;
    this.#totals = fields.map(() => 0);
  }

  /** Documents there are. */
  get size(): number {
    return this.#size;
  }

  /** Takes the place of what was in the slot. @param terms of each field, in the order of the fields */
  put(slot: number, terms: readonly (readonly string[])[]): void {
    this.remove(slot);
    const counts = new Map<string, number>();
    for (const [field, words] of terms.entries()) {
      const shift = field * bitsPerField;
      for (const word of words) {
        const packed = counts.get(word) ?? 0;
        if (((packed >>> shift) & mostCounted) < mostCounted) counts.set(word, packed + (1 << shift));
      }
    }
    const postings = Array.from(counts, ([term, packed]) => {
      const found = this.#postingsOf(term);
      found.add(slot, packed);
      return found;
    });
    this.#take(
      slot,
      this.#fields.map((_field, at) => terms[at]?.length ?? 0),
      postings,
    );
  }

  remove(slot: number): void {
    const document = this.#documents[slot];
    if (document === undefined) return;
    for (const postings of document.postings) {
      postings.remove(slot);
      if (postings.size === 0) this.#postings.delete(postings.term);
    }
    for (const [field, length] of document.lengths.entries())
      this.#totals[field] = this.#total(field) - length;
    this.#documents[slot] = undefined;
    this.#size--;
    this.#worths = undefined;
  }

  /** By slot; 0 where no term occurs. A term that occurs twice in a query counts once. */
  scores(terms: Iterable<string>): Float64Array {
    const scores = new Float64Array(this.#documents.length);
    for (const term of new Set(terms)) {
      this.#score(term, (slot, score) => {
        scores[slot] = (scores[slot] as number) + score;
      });
    }
    return scores;
  }

  /** The scores of a few slots apart: what each term of the query adds, in their order, without those that no document has. */
  parts(terms: Iterable<string>, slots: readonly number[]): Float64Array[] {
    const known = [...new Set(terms)].filter((term) => this.#postings.has(term));
    const parts = new Map(slots.map((slot) => [slot, new Float64Array(known.length)]));
    for (const [at, term] of known.entries()) {
      this.#score(term, (slot, score) => {
        const part = parts.get(slot);
        if (part !== undefined) part[at] = score;
      });
    }
    return [...parts.values()];
  }

  #score(term: string, tell: (slot: number, score: number) => void): void {
    const postings = this.#postings.get(term);
    if (postings === undefined) return;
    const worths = this.#worthsNow();
    const fields = this.#fields.length;
    const { slots, counts, size } = postings;
    const rarity = Math.log(1 + (this.#size - size + 0.5) / (size + 0.5));
    for (let at = 0; at < size; at++) {
      const slot = slots[at] as number;
      let worth = 0;
      let packed = counts[at] as number;
      for (let field = slot * fields; packed > 0; field++, packed >>>= bitsPerField) {
        worth += (packed & mostCounted) * (worths[field] as number);
      }
      tell(slot, (rarity * worth) / (saturation + worth));
    }
  }

  export(): KeptTerms {
    const postings = [...this.#postings.values()];
    const numbers: number[] = [this.#size];
    for (const [slot, document] of this.#documents.entries()) {
      if (document !== undefined) numbers.push(slot, ...document.lengths);
    }
    for (const { slots, counts, size } of postings) {
      numbers.push(size);
      for (let at = 0; at < size; at++) numbers.push(slots[at] as number, counts[at] as number);
    }
    return { terms: postings.map(({ term }) => term), numbers: Uint32Array.from(numbers) };
  }

  /** @throws {RangeError} for numbers that no index of these fields has kept. */
  static import(fields: readonly LexicalField[], { terms, numbers }: KeptTerms): LexicalIndex {
    const index = new LexicalIndex(fields);
    const reader = new NumberReader(numbers);
    const lengths = new Map<number, number[]>();
    const found = new Map<number, Postings[]>();
    for (let left = reader.next(); left > 0; left--) {
      const slot = reader.next();
      lengths.set(
        slot,
        fields.map(() => reader.next()),
      );
      found.set(slot, []);
    }
    for (const term of terms) {
      const postings = index.#postingsOf(term);
      for (let left = reader.next(); left > 0; left--) {
        const slot = reader.next();
        postings.add(slot, reader.next());
        const ofSlot = found.get(slot);
        if (ofSlot === undefined) throw new RangeError(`Cannot read the index: slot ${slot} is empty`);
        ofSlot.push(postings);
      }
    }
    reader.end();
    for (const [slot, ofSlot] of found) index.#take(slot, lengths.get(slot) ?? [], ofSlot);
    return index;
  }

  #take(slot: number, lengths: readonly number[], postings: readonly Postings[]): void {
    if (slot > highestSlot) throw new RangeError(`Cannot index slot ${slot}: the highest is ${highestSlot}`);
    while (this.#documents.length < slot) this.#documents.push(undefined);
    this.#documents[slot] = { lengths, postings };
    for (const [field, length] of lengths.entries()) this.#totals[field] = this.#total(field) + length;
    this.#size++;
    this.#worths = undefined;
  }

  #postingsOf(term: string): Postings {
    let postings = this.#postings.get(term);
    if (postings === undefined) {
      postings = new Postings(term);
      this.#postings.set(term, postings);
    }
    return postings;
  }

  #worthsNow(): Float64Array {
    if (this.#worths !== undefined) return this.#worths;
    const worths = new Float64Array(this.#documents.length * this.#fields.length);
    const usual = this.#totals.map((total) => total / this.#size || 1);
    for (const [slot, document] of this.#documents.entries()) {
      if (document === undefined) continue;
      for (const [field, { weight, lengthPenalty }] of this.#fields.entries()) {
        const longer = (document.lengths[field] ?? 0) / (usual[field] ?? 1);
        worths[slot * this.#fields.length + field] = weight / (1 - lengthPenalty + lengthPenalty * longer);
      }
    }
    this.#worths = worths;
    return worths;
  }

  #total(field: number): number {
    return this.#totals[field] ?? 0;
  }
}

interface IndexedDocument {
  /** Terms in each field. */
  readonly lengths: readonly number[];
  readonly postings: readonly Postings[];
}

/** Where one term occurs, in no order. */
class Postings {
  readonly term: string;
  slots: Uint32Array = new Uint32Array(2);
  counts: Uint32Array = new Uint32Array(2);
  size = 0;

  constructor(term: string) {
    this.term = term;
  }

  add(slot: number, packed: number): void {
    if (this.size === this.slots.length) {
      this.slots = grown(this.slots);
      this.counts = grown(this.counts);
    }
    this.slots[this.size] = slot;
    this.counts[this.size] = packed;
    this.size++;
  }

  remove(slot: number): void {
    const at = this.slots.indexOf(slot);
    this.size--;
    this.slots[at] = this.slots[this.size] as number;
    this.counts[at] = this.counts[this.size] as number;
  }
}

function grown(numbers: Uint32Array): Uint32Array {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

class NumberReader {
  readonly #numbers: Uint32Array;
  #at = 0;

  constructor(numbers: Uint32Array) {
    this.#numbers = numbers;
  }

  next(): number {
    const number = this.#numbers[this.#at++];
    if (number === undefined) throw new RangeError("Cannot read the index: it ends too soon");
    return number;
  }

  end(): void {
    if (this.#at !== this.#numbers.length) throw new RangeError("Cannot read the index: it goes on too long");
  }
}

/** What {@link LexicalIndex.export} keeps: the terms, and all else as whole numbers. */
export interface KeptTerms {
  readonly terms: readonly string[];
  readonly numbers: Uint32Array;
}

/** What a word worths in an ordinary field. Weights are whole numbers, so that what is kept is exact. */
export const ordinaryWeight = 5;
/** How soon more of the same word in one document stops adding: BM25's usual k1 of 1.2, in weights. */
const saturation = 1.2 * ordinaryWeight;
/** How much a document longer than usual makes each of its words count less: BM25's b. .4 to .6 rank alike. */
const lengthPenalty = 0.5;
const highestSlot = 2 ** 20;

/**
 * BM25 over documents of several fields, which share one length: who says more has more chances to be found, whichever
 * fields it has. A document is its slot, a small whole number that its owner chooses. Nothing is approximate: after any
 * changes the scores are those of an index that was made anew.
 */
export class LexicalIndex {
  readonly #weights: readonly number[];
  readonly #postings = new Map<string, Postings>();
  /** In which each occurs. Undefined: the slot is empty. */
  readonly #documents: (readonly Postings[] | undefined)[] = [];
  /** Terms in all fields, by slot. */
  #lengths: Uint32Array = new Uint32Array(64);
  #totalLength = 0;
  #size = 0;

  /** @param weights of each field: whole numbers, {@link ordinaryWeight} for one that worths as usual */
  constructor(weights: readonly number[]) {
    this.#weights = weights;
  }

  /** Documents there are. */
  get size(): number {
    return this.#size;
  }

  /** Takes the place of what was in the slot. @param terms of each field, in the order of the weights */
  put(slot: number, terms: readonly (readonly string[])[]): void {
    this.remove(slot);
    const worths = new Map<string, number>();
    let length = 0;
    for (const [field, words] of terms.entries()) {
      const weight = this.#weights[field] ?? 0;
      for (const word of words) worths.set(word, (worths.get(word) ?? 0) + weight);
      length += words.length;
    }
    const postings = Array.from(worths, ([term, worth]) => {
      const found = this.#postingsOf(term);
      found.add(slot, worth);
      return found;
    });
    this.#take(slot, length, postings);
  }

  remove(slot: number): void {
    const document = this.#documents[slot];
    if (document === undefined) return;
    for (const postings of document) {
      postings.remove(slot);
      if (postings.size === 0) this.#postings.delete(postings.term);
    }
    this.#totalLength -= this.#lengths[slot] as number;
    this.#documents[slot] = undefined;
    this.#size--;
  }

  /** By slot; 0 where no term occurs. A term that occurs twice in a query counts once. */
  scores(terms: Iterable<string>): Float64Array {
    const scores = new Float64Array(this.#documents.length);
    for (const term of new Set(terms)) this.#addScores(term, scores);
    return scores;
  }

  /** The scores of a few slots apart: what each term of the query adds, in their order, without those that no document has. */
  parts(terms: Iterable<string>, slots: readonly number[]): Float64Array[] {
    const known = [...new Set(terms)].filter((term) => this.#postings.has(term));
    const parts = slots.map(() => new Float64Array(known.length));
    const scores = new Float64Array(this.#documents.length);
    for (const [term, word] of known.entries()) {
      scores.fill(0);
      this.#addScores(word, scores);
      for (const [at, slot] of slots.entries()) (parts[at] as Float64Array)[term] = scores[slot] ?? 0;
    }
    return parts;
  }

  #addScores(term: string, scores: Float64Array): void {
    const postings = this.#postings.get(term);
    if (postings === undefined) return;
    const lengths = this.#lengths;
    const { slots, worths, size } = postings;
    const rarity = Math.log(1 + (this.#size - size + 0.5) / (size + 0.5));
    const short = saturation * (1 - lengthPenalty);
    const perWord = (saturation * lengthPenalty * this.#size) / (this.#totalLength || 1);
    for (let at = 0; at < size; at++) {
      const slot = slots[at] as number;
      const worth = worths[at] as number;
      const half = short + perWord * (lengths[slot] as number);
      scores[slot] = (scores[slot] as number) + (rarity * worth) / (half + worth);
    }
  }

  export(): KeptTerms {
    const postings = [...this.#postings.values()];
    const numbers: number[] = [this.#size];
    for (const [slot, document] of this.#documents.entries()) {
      if (document !== undefined) numbers.push(slot, this.#lengths[slot] as number);
    }
    for (const { slots, worths, size } of postings) {
      numbers.push(size);
      for (let at = 0; at < size; at++) numbers.push(slots[at] as number, worths[at] as number);
    }
    return { terms: postings.map(({ term }) => term), numbers: Uint32Array.from(numbers) };
  }

  /** @throws {RangeError} for numbers that no index has kept. */
  static import(weights: readonly number[], { terms, numbers }: KeptTerms): LexicalIndex {
    const index = new LexicalIndex(weights);
    const reader = new NumberReader(numbers);
    const found = new Map<number, { readonly length: number; readonly postings: Postings[] }>();
    for (let left = reader.next(); left > 0; left--) {
      const slot = reader.next();
      found.set(slot, { length: reader.next(), postings: [] });
    }
    for (const term of terms) {
      const postings = index.#postingsOf(term);
      for (let left = reader.next(); left > 0; left--) {
        const slot = reader.next();
        postings.add(slot, reader.next());
        const ofSlot = found.get(slot);
        if (ofSlot === undefined) throw new RangeError(`Cannot read the index: slot ${slot} is empty`);
        ofSlot.postings.push(postings);
      }
    }
    reader.end();
    for (const [slot, { length, postings }] of found) index.#take(slot, length, postings);
    return index;
  }

  #take(slot: number, length: number, postings: readonly Postings[]): void {
    if (slot > highestSlot) throw new RangeError(`Cannot index slot ${slot}: the highest is ${highestSlot}`);
    while (this.#documents.length < slot) this.#documents.push(undefined);
    while (this.#lengths.length <= slot) this.#lengths = grown(this.#lengths);
    this.#documents[slot] = postings;
    this.#lengths[slot] = length;
    this.#totalLength += length;
    this.#size++;
  }

  #postingsOf(term: string): Postings {
    let postings = this.#postings.get(term);
    if (postings === undefined) {
      postings = new Postings(term);
      this.#postings.set(term, postings);
    }
    return postings;
  }
}

/** Where one term occurs, in no order. */
class Postings {
  readonly term: string;
  slots: Uint32Array = new Uint32Array(2);
  /** The weights of its occurrences, added up. */
  worths: Uint32Array = new Uint32Array(2);
  size = 0;

  constructor(term: string) {
    this.term = term;
  }

  add(slot: number, worth: number): void {
    if (this.size === this.slots.length) {
      this.slots = grown(this.slots);
      this.worths = grown(this.worths);
    }
    this.slots[this.size] = slot;
    this.worths[this.size] = worth;
    this.size++;
  }

  remove(slot: number): void {
    const at = this.slots.indexOf(slot);
    this.size--;
    this.slots[at] = this.slots[this.size] as number;
    this.worths[at] = this.worths[this.size] as number;
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

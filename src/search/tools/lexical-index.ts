/** What {@link LexicalIndex.export} keeps: the terms, and all else as whole numbers. */
export interface KeptTerms {
  readonly terms: readonly string[];
  readonly numbers: Uint32Array;
}

/** What a word worths in an ordinary field. Weights are whole numbers, so that what is kept is exact. */
export const ordinaryWeight = 5;
/** BM25's k1: how soon more of the same word in one document stops adding. Values from 1.2 to 2.5 rank alike. */
const saturation = 1.8 * ordinaryWeight;
/** How much a document longer than usual makes each of its words count less: BM25's b. .4 to .6 rank alike. */
const lengthPenalty = 0.5;
const highestSlot = 2 ** 20;

/** The occurrences of one term. The arrays are longer than `size`, and belong to the index: they are valid until it is asked for another term. */
export interface Occurrences {
  readonly size: number;
  readonly slots: Uint32Array;
  /** What the term adds to the score of each slot. */
  readonly scores: Float64Array;
  /** 1 where the term is in the first field. */
  readonly named: Uint8Array;
}

/**
 * BM25 over documents of several fields, which share one length: who says more has more chances to be found, whichever
 * fields it has. The first field is the document's name. A document is its slot, a small whole number that its owner chooses. Nothing is approximate: after any
 * changes the scores are those of an index that was made anew.
 */
export class LexicalIndex {
  readonly #weights: readonly number[];
  readonly #postings = new Map<string, Postings>();
  /** The postings that each slot occurs in. Undefined: the slot is empty. */
  readonly #documents: (readonly Postings[] | undefined)[] = [];
  /** Terms in all fields, by slot. */
  #lengths: Uint32Array = new Uint32Array(64);
  /** Different terms in the first field, by slot. */
  #nameLengths: Uint32Array = new Uint32Array(64);
  /** Reused by every {@link occurrences}. */
  #scored = new Float64Array(0);
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
    const named = new Set(terms[0]);
    let length = 0;
    for (const [field, words] of terms.entries()) {
      const weight = this.#weights[field] ?? 0;
      for (const word of words) worths.set(word, (worths.get(word) ?? 0) + weight);
      length += words.length;
    }
    const postings = Array.from(worths, ([term, worth]) => {
      const found = this.#findPostings(term);
      found.add(slot, worth, named.has(term));
      return found;
    });
    this.#take(slot, { length, nameLength: named.size }, postings);
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

  /** The scores by slot; 0 where no term occurs. A term that occurs twice in a query counts once. */
  scores(terms: Iterable<string>): Float64Array {
    const total = new Float64Array(this.slotCount);
    for (const term of new Set(terms)) {
      const found = this.occurrences(term);
      if (found !== undefined) addScores(found, total);
    }
    return total;
  }

  /** One more than the highest slot that was ever taken. */
  get slotCount(): number {
    return this.#documents.length;
  }

  /** How many different terms the first field of a document has. */
  nameLength(slot: number): number {
    return this.#documents[slot] === undefined ? 0 : (this.#nameLengths[slot] as number);
  }

  /** All terms that documents have. */
  get terms(): Iterable<string> {
    return this.#postings.keys();
  }

  /** How much a term tells; most for one that no document has. */
  getRarity(term: string): number {
    const size = this.#postings.get(term)?.size ?? 0;
    return Math.log(1 + (this.#size - size + 0.5) / (size + 0.5));
  }

  /** Whether any document has a term. */
  has(term: string): boolean {
    return this.#postings.has(term);
  }

  /** The occurrences of a term, and what it adds to the score of each. Undefined for one that no document has. */
  occurrences(term: string): Occurrences | undefined {
    const postings = this.#postings.get(term);
    if (postings === undefined) return undefined;
    const { slots, worths, named, size } = postings;
    if (this.#scored.length < size) this.#scored = new Float64Array(slots.length);
    const scores = this.#scored;
    const lengths = this.#lengths;
    const rarity = this.getRarity(term);
    const short = saturation * (1 - lengthPenalty);
    const perWord = (saturation * lengthPenalty * this.#size) / (this.#totalLength || 1);
    for (let at = 0; at < size; at++) {
      const worth = worths[at] as number;
      const half = short + perWord * (lengths[slots[at] as number] as number);
      scores[at] = (rarity * worth) / (half + worth);
    }
    return { size, slots, scores, named };
  }

  export(): KeptTerms {
    const postings = [...this.#postings.values()];
    const numbers: number[] = [this.#size];
    for (const [slot, document] of this.#documents.entries()) {
      if (document !== undefined) {
        numbers.push(slot, this.#lengths[slot] as number, this.#nameLengths[slot] as number);
      }
    }
    for (const { slots, worths, named, size } of postings) {
      numbers.push(size);
      for (let at = 0; at < size; at++) {
        numbers.push(slots[at] as number, 2 * (worths[at] as number) + (named[at] as number));
      }
    }
    return { terms: postings.map(({ term }) => term), numbers: Uint32Array.from(numbers) };
  }

  /** @throws {RangeError} for numbers that no index has kept. */
  static import(weights: readonly number[], { terms, numbers }: KeptTerms): LexicalIndex {
    const index = new LexicalIndex(weights);
    const reader = new NumberReader(numbers);
    const found = new Map<number, { readonly lengths: Lengths; readonly postings: Postings[] }>();
    for (let left = reader.next(); left > 0; left--) {
      const slot = reader.next();
      const lengths = { length: reader.next(), nameLength: reader.next() };
      found.set(slot, { lengths, postings: [] });
    }
    for (const term of terms) {
      const postings = index.#findPostings(term);
      for (let left = reader.next(); left > 0; left--) {
        const slot = reader.next();
        const worth = reader.next();
        postings.add(slot, Math.floor(worth / 2), worth % 2 === 1);
        const ofSlot = found.get(slot);
        if (ofSlot === undefined) throw new RangeError(`Cannot read the index: slot ${slot} is empty`);
        ofSlot.postings.push(postings);
      }
    }
    reader.end();
    for (const [slot, { lengths, postings }] of found) index.#take(slot, lengths, postings);
    return index;
  }

  #take(slot: number, { length, nameLength }: Lengths, postings: readonly Postings[]): void {
    if (slot > highestSlot) throw new RangeError(`Cannot index slot ${slot}: the highest is ${highestSlot}`);
    while (this.#documents.length < slot) this.#documents.push(undefined);
    while (this.#lengths.length <= slot) {
      this.#lengths = grown(this.#lengths);
      this.#nameLengths = grown(this.#nameLengths);
    }
    this.#documents[slot] = postings;
    this.#lengths[slot] = length;
    this.#nameLengths[slot] = nameLength;
    this.#totalLength += length;
    this.#size++;
  }

  #findPostings(term: string): Postings {
    let postings = this.#postings.get(term);
    if (postings === undefined) {
      postings = new Postings(term);
      this.#postings.set(term, postings);
    }
    return postings;
  }
}

/** Adds what a term gives to the score of each slot. @param weight what it counts */
export function addScores({ size, slots, scores }: Occurrences, total: Float64Array, weight = 1): void {
  for (let at = 0; at < size; at++) {
    const slot = slots[at] as number;
    total[slot] = (total[slot] as number) + weight * (scores[at] as number);
  }
}

/** The lengths of one document. */
interface Lengths {
  readonly length: number;
  readonly nameLength: number;
}

/** The occurrences of one term, in no order. */
class Postings {
  readonly term: string;
  slots: Uint32Array = new Uint32Array(2);
  /** The weights of its occurrences, added up. */
  worths: Uint32Array = new Uint32Array(2);
  /** 1 where the term is in the first field. */
  named: Uint8Array = new Uint8Array(2);
  size = 0;

  constructor(term: string) {
    this.term = term;
  }

  add(slot: number, worth: number, isNamed: boolean): void {
    if (this.size === this.slots.length) {
      this.slots = grown(this.slots);
      this.worths = grown(this.worths);
      const named = new Uint8Array(this.slots.length);
      named.set(this.named);
      this.named = named;
    }
    this.slots[this.size] = slot;
    this.worths[this.size] = worth;
    this.named[this.size] = isNamed ? 1 : 0;
    this.size++;
  }

  remove(slot: number): void {
    const at = this.slots.indexOf(slot);
    this.size--;
    this.slots[at] = this.slots[this.size] as number;
    this.worths[at] = this.worths[this.size] as number;
    this.named[at] = this.named[this.size] as number;
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

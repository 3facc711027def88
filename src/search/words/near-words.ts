import type { MaybePromise } from "../../base/index.ts";
import { leastNearCosine, WordSpace } from "./word-space.ts";

/** A word that means about the same as one of a question. */
export interface NearWord {
  /** The stem of the word, which is what an index has. */
  readonly word: string;
  /** The stem of the word in the question. */
  readonly of: string;
  /** What it counts, 0 to 1, where the word of the question counts 1. */
  readonly weight: number;
}

/** Vectors of words, in their order, of length 1 or of zeros; undefined where none can be made now, also of no words. */
export type EmbedWords = (words: readonly string[]) => Promise<readonly Float32Array[] | undefined>;

export interface NearWordsOptions {
  readonly embed: EmbedWords;
  /** Gives the stems of a text, as the index has them, without those that are not to be looked for. */
  readonly split: (text: string) => readonly string[];
}

/** What a word counts that means just the same. .5 to .8 find alike on all sets, of memories and of tools. */
const highestWeight = 0.6;
/** Words that are looked for beside those of a question. With 8 the sets of memories find less, with 24 no more. */
const mostNearWords = 16;
/** More words of a question are not looked up. */
const mostAsked = 32;
/** Shorter ones are abbreviations, of which vectors know little. */
const leastLetters = 3;

/** Finds, among the words that an index has, those that mean about the same as the words of a question. */
export class NearWords {
  readonly #embed: EmbedWords;
  readonly #split: NearWordsOptions["split"];
  readonly #space = new WordSpace();

  constructor({ embed, split }: NearWordsOptions) {
    this.#embed = embed;
    this.#split = split;
  }

  /**
   * Adds words of the index, those that it does not have yet. False: vectors can't be made now.
   *
   * @param read is asked only where they can
   */
  async add(read: () => MaybePromise<Iterable<string>>): Promise<boolean> {
    if ((await this.#embed([])) === undefined) return false;
    const words = await read();
    const fresh = [...words].filter((word) => word.length >= leastLetters && !this.#space.has(word));
    const vectors = fresh.length === 0 ? [] : await this.#embed(fresh);
    if (vectors !== undefined) this.#space.add(fresh, vectors);
    return vectors !== undefined;
  }

  /** The nearest first; none where vectors can't be made now. @param known words that are looked for anyway */
  async find(question: string, known: ReadonlySet<string>): Promise<readonly NearWord[]> {
    const asked = [...this.#splitAsked(question)];
    const vectors = asked.length === 0 ? [] : await this.#embed(asked.map(([, written]) => written));
    const near = new Map<string, NearWord>();
    for (const [at, [stem, written]] of asked.entries()) {
      const vector = vectors?.[at];
      for (const { word, cosine } of vector === undefined ? [] : this.#space.near(written, vector)) {
        const weight = (highestWeight * (cosine - leastNearCosine)) / (1 - leastNearCosine);
        if (!known.has(word) && weight > (near.get(word)?.weight ?? 0))
          near.set(word, { word, of: stem, weight });
      }
    }
    return [...near.values()].sort((one, other) => other.weight - one.weight).slice(0, mostNearWords);
  }

  /** The words of a question by their stems, each as it was written first: vectors are those of words, not of stems. */
  #splitAsked(question: string): ReadonlyMap<string, string> {
    const stems = new Set(this.#split(question));
    const asked = new Map<string, string>();
    for (const [word] of question.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
      const [stem, ...more] = this.#split(word);
      if (stem === undefined || more.length > 0 || stem.length < leastLetters) continue;
      if (stems.has(stem) && !asked.has(stem)) asked.set(stem, word.toLowerCase());
      if (asked.size === mostAsked) break;
    }
    return asked;
  }
}

import type { ToolInfo } from "../../tool-info.ts";
import { deedOf } from "./deeds.ts";
import { LexicalIndex } from "./lexical-index.ts";
import { best, type Candidate, cover, type Spread, spreadOf, zScore } from "./ranking.ts";
import { type ToolText, termsOfTool, toolWeights } from "./tool-text.ts";
import { VectorIndex } from "./vector-index.ts";

/** A tool as the search holds it. */
export interface ToolDocument {
  readonly slot: number;
  readonly tool: ToolInfo;
  readonly text: ToolText;
  /** Of the text. */
  readonly mark: string;
  vector: Float32Array | undefined;
}

/** A message that a tool served. */
export interface LearntUse {
  readonly goal: string;
  /** Unix ms. */
  readonly at: number;
  vector: Float32Array | undefined;
}

export interface ToolQuery {
  readonly terms: readonly string[];
  readonly vector?: Float32Array | undefined;
}

/** Telling words of a message that asks for several things; one with fewer asks for fewer. */
const longMessage = 16;
/** How much a vector says beside the words. It says less of a message longer than that: many things have no one place. */
const vectorWeight = 2;
/** What a word of such a message loses once a tool answers it, so that the next tool answers something else. */
const lossOnceAnswered = 0.4;
/** How much more it says where every tool has learnt what is asked of it. */
const learntWeight = 0.5;
/** About what a common verb counts. Of no account in the public sets; where agents put their goals as a verb and its object, .03. */
const sameDeedScore = 0.8;
const mostCovered = 40;
/** After this time a use counts half. */
const halfLifeMs = 90 * 86_400_000;
const leastWorth = 1 / 16;

/** The tools, with what they were called for in one scope. */
export class ToolIndex {
  readonly #words: LexicalIndex;
  #vectors: VectorIndex | undefined;
  readonly #learnt = new Set<number>();

  constructor(words: LexicalIndex = new LexicalIndex(toolWeights)) {
    this.#words = words;
  }

  get words(): LexicalIndex {
    return this.#words;
  }

  put(document: ToolDocument, uses: readonly LearntUse[], now: number): void {
    const counted = uses.filter((use) => worthOf(use, now) >= leastWorth);
    if (counted.length > 0) this.#learnt.add(document.slot);
    else this.#learnt.delete(document.slot);
    const goals = counted.map(({ goal }) => goal);
    this.#words.put(document.slot, termsOfTool(document.text, goals));
    this.putVector(document, uses, now);
  }

  /** Its words stay as they are. */
  putVector({ slot, vector }: ToolDocument, uses: readonly LearntUse[], now: number): void {
    if (vector === undefined) return this.#vectors?.remove(slot);
    this.#vectors ??= new VectorIndex(vector.length);
    this.#vectors.put(slot, withUses(vector, uses, now));
  }

  remove(slot: number): void {
    this.#words.remove(slot);
    this.#vectors?.remove(slot);
    this.#learnt.delete(slot);
  }

  /** By slot; undefined as long as no tool has a vector. */
  cosines(query: Float32Array): Float64Array | undefined {
    return this.#vectors?.cosines(query);
  }

  rank(
    query: ToolQuery,
    members: Uint32Array,
    before: (slot: number, other: number) => boolean,
  ): ToolRanking {
    const words = this.#wordScores(query.terms, members);
    const cosines = query.vector === undefined ? undefined : this.cosines(query.vector);
    const length = query.terms.length / longMessage;
    const learntShare = this.#learnt.size / Math.max(1, this.#words.size);
    return new ToolRanking({
      words,
      cosines,
      weight: vectorWeight * Math.min(1, 1 / length) * (1 + learntWeight * learntShare),
      kept: 1 - lossOnceAnswered * Math.min(1, length),
      members,
      before,
      partsOf: (slots) => this.#words.parts(query.terms, slots),
    });
  }

  /** A goal begins with what is to be done: what does the same by another name counts a little, if it has another word. */
  #wordScores(terms: readonly string[], members: Uint32Array): Float64Array {
    const scores = this.#words.scores(terms);
    const [verb] = terms;
    const kind = deedOf(verb);
    if (verb === undefined || kind === undefined) return scores;
    const itself = this.#words.scores([verb]);
    const alike = this.#words.scores([kind]);
    for (const slot of members) {
      const score = scores[slot] ?? 0;
      if (score > 0 && itself[slot] === 0 && (alike[slot] ?? 0) > 0) scores[slot] = score + sameDeedScore;
    }
    return scores;
  }
}

interface RankingParts {
  readonly words: Float64Array;
  readonly cosines: Float64Array | undefined;
  /** Of the vectors, where the words have 1. */
  readonly weight: number;
  /** What a word is worth once a tool answers it. */
  readonly kept: number;
  readonly members: Uint32Array;
  readonly before: (slot: number, other: number) => boolean;
  readonly partsOf: (slots: readonly number[]) => Float64Array[];
}

export interface SlotScores {
  readonly words: number;
  readonly vectors?: number;
  readonly total: number;
}

/** What one query makes of the members: z-scores of words and vectors, added. */
export class ToolRanking {
  readonly #parts: RankingParts;
  readonly #wordSpread: Spread;
  readonly #cosineSpread: Spread | undefined;
  readonly #totals: Float64Array;

  constructor(parts: RankingParts) {
    const { words, cosines, weight, members } = parts;
    this.#parts = parts;
    this.#wordSpread = spreadOf(words, members);
    this.#cosineSpread = cosines === undefined ? undefined : spreadOf(cosines, members);
    this.#totals = new Float64Array(Math.max(words.length, cosines?.length ?? 0));
    for (const slot of members) {
      const vectors =
        this.#cosineSpread === undefined ? 0 : weight * zScore(cosines?.[slot], this.#cosineSpread);
      this.#totals[slot] = zScore(words[slot], this.#wordSpread) + vectors;
    }
  }

  /** The best of those that pass; each after the first for what those before it leave unanswered. */
  order(limit: number, passes: (slot: number) => boolean): { slot: number; score: number }[] {
    const { members, before, partsOf, kept } = this.#parts;
    const top = best(members, this.#totals, Math.max(limit, mostCovered), { passes, before });
    const covered = top.slice(0, mostCovered);
    const words = partsOf(covered);
    const candidates = covered.map(
      (slot, at): Candidate => ({
        slot,
        total: this.#totals[slot] as number,
        words: words[at] ?? new Float64Array(0),
      }),
    );
    const unit = this.#wordSpread.deviation > 0 ? 1 / this.#wordSpread.deviation : 0;
    const rest = top.slice(mostCovered).map((slot) => ({ slot, score: this.#totals[slot] as number }));
    return [...cover(candidates, { unit, kept }), ...rest].slice(0, limit);
  }

  hasWords(slot: number): boolean {
    return (this.#parts.words[slot] ?? 0) > 0;
  }

  scoresOf(slot: number): SlotScores {
    const { words, cosines, weight } = this.#parts;
    return {
      words: zScore(words[slot], this.#wordSpread),
      ...(this.#cosineSpread !== undefined && {
        vectors: weight * zScore(cosines?.[slot], this.#cosineSpread),
      }),
      total: this.#totals[slot] ?? 0,
    };
  }

  /** From 1. */
  rankOf(slot: number): number {
    const covered = this.order(mostCovered, () => true).findIndex((found) => found.slot === slot);
    if (covered >= 0) return covered + 1;
    const total = this.#totals[slot] as number;
    return 1 + this.#parts.members.filter((other) => (this.#totals[other] as number) > total).length;
  }
}

function worthOf({ at }: LearntUse, now: number): number {
  return 0.5 ** (Math.max(0, now - at) / halfLifeMs);
}

/** Half way from what a tool says of itself to what it was asked for. */
function withUses(vector: Float32Array, uses: readonly LearntUse[], now: number): Float32Array {
  const usable = uses.flatMap((use) =>
    use.vector === undefined ? [] : [{ vector: use.vector, worth: worthOf(use, now) }],
  );
  if (usable.length === 0) return vector;
  const all = Math.max(
    1,
    usable.reduce((sum, { worth }) => sum + worth, 0),
  );
  const blended = vector.map((number) => number / lengthOf(vector));
  for (const use of usable) {
    const share = use.worth / all / lengthOf(use.vector);
    for (let at = 0; at < blended.length; at++) {
      blended[at] = (blended[at] as number) + share * (use.vector[at] ?? 0);
    }
  }
  return blended;
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0)) || 1;
}

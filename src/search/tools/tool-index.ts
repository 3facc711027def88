import type { ToolInfo } from "../../kernel/index.ts";
import { LexicalIndex } from "./lexical-index.ts";
import { best, cover, measureSpread, type Spread, zScore } from "./ranking.ts";
import { longMessage, type RankingWeights, rankingWeights } from "./ranking-weights.ts";
import type { SearchedTools } from "./searched-tools.ts";
import { type ToolText, termsOfTool, toolWeights } from "./tool-text.ts";
import { VectorIndex } from "./vector-index.ts";
import { type MessageTerms, scoreTerms, scoreWords, type TermScores } from "./word-scores.ts";

/** A tool as the search holds it. */
export interface ToolDocument {
  readonly slot: number;
  readonly tool: ToolInfo;
  readonly text: ToolText;
  /** The mark of the text. */
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

export interface ToolQuery extends MessageTerms {
  readonly vector?: Float32Array | undefined;
  /** Vectors of its sentences, where it has several. */
  readonly sentenceVectors?: readonly Float32Array[];
}

const mostCovered = 40;
/** Number of the best tools that are compared with each sentence of a message; more find nothing more. */
const mostCompared = 100;
/** The time after which a use counts half. */
const halfLifeMs = 90 * 86_400_000;
const leastWorth = 1 / 16;

/** The tools, with what they were called for in one scope. */
export class ToolIndex {
  readonly #words: LexicalIndex;
  #vectors: VectorIndex | undefined;

  constructor(words: LexicalIndex = new LexicalIndex(toolWeights)) {
    this.#words = words;
  }

  get words(): LexicalIndex {
    return this.#words;
  }

  put(document: ToolDocument, uses: readonly LearntUse[], now: number): void {
    const goals = uses.filter((use) => computeWorth(use, now) >= leastWorth).map(({ goal }) => goal);
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
  }

  /** The cosines by slot; undefined as long as no tool has a vector. */
  cosines(query: Float32Array): Float64Array | undefined {
    return this.#vectors?.cosines(query);
  }

  rank(
    query: ToolQuery,
    tools: SearchedTools,
    before: (slot: number, other: number) => boolean,
    weights: RankingWeights = rankingWeights,
  ): ToolRanking {
    const length = query.terms.length / longMessage;
    const { scores: words, isSaid } = scoreWords(this.#words, query, tools, weights);
    return new ToolRanking({
      words,
      isSaid,
      cosines: query.vector === undefined ? undefined : this.cosines(query.vector),
      weight: weights.vectors * Math.min(1, 1 / length),
      loss: weights.answered * Math.min(1, length),
      members: tools.slots,
      before,
      nearest: nearestSentence(this.#vectors, query.sentenceVectors ?? []),
      scoreTerms: (slots) => scoreTerms(this.#words, query.terms, slots, tools),
    });
  }
}

interface RankingParts {
  readonly words: Float64Array;
  /** 1 where a word of the message occurs. */
  readonly isSaid: Uint8Array;
  readonly cosines: Float64Array | undefined;
  /** The weight of the vectors, where the words have 1. */
  readonly weight: number;
  /** What a word loses once a tool answers it. */
  readonly loss: number;
  /** How near a tool is to the nearest sentence of the message. Undefined: it has no sentences to compare. */
  readonly nearest: ((slot: number) => number) | undefined;
  readonly members: Uint32Array;
  readonly before: (slot: number, other: number) => boolean;
  readonly scoreTerms: (slots: readonly number[]) => readonly TermScores[];
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
    this.#wordSpread = measureSpread(words, members);
    this.#cosineSpread = cosines === undefined ? undefined : measureSpread(cosines, members);
    this.#totals = new Float64Array(Math.max(words.length, cosines?.length ?? 0));
    for (const slot of members) {
      const vectors =
        this.#cosineSpread === undefined ? 0 : weight * zScore(cosines?.[slot], this.#cosineSpread);
      this.#totals[slot] = zScore(words[slot], this.#wordSpread) + vectors;
    }
    this.#raiseBySentences();
  }

  /** A tool that is nearer to one sentence of a message than to all of it is asked for there. */
  #raiseBySentences(): void {
    const { cosines, nearest, weight, members, before } = this.#parts;
    const deviation = this.#cosineSpread?.deviation ?? 0;
    if (cosines === undefined || nearest === undefined || !(deviation > 0)) return;
    for (const slot of best(members, this.#totals, mostCompared, { passes: () => true, before })) {
      const raise = nearest(slot) - (cosines[slot] as number);
      if (!(raise > 0)) continue;
      cosines[slot] = (cosines[slot] as number) + raise;
      this.#totals[slot] = (this.#totals[slot] as number) + (weight * raise) / deviation;
    }
  }

  /** The best of those that pass; each after the first for what those before it leave unanswered. */
  order(limit: number, passes: (slot: number) => boolean): { slot: number; score: number }[] {
    const { members, before, loss } = this.#parts;
    const top = best(members, this.#totals, Math.max(limit, mostCovered), { passes, before });
    const candidates = this.#parts.scoreTerms(top.slice(0, mostCovered)).map((scores) => ({
      ...scores,
      total: this.#totals[scores.slot] as number,
    }));
    const unit = this.#wordSpread.deviation > 0 ? 1 / this.#wordSpread.deviation : 0;
    const rest = top.slice(mostCovered).map((slot) => ({ slot, score: this.#totals[slot] as number }));
    return [...cover(candidates, { unit, loss }), ...rest].slice(0, limit);
  }

  hasWords(slot: number): boolean {
    return this.#parts.isSaid[slot] === 1;
  }

  getScores(slot: number): SlotScores {
    const { words, cosines, weight } = this.#parts;
    return {
      words: zScore(words[slot], this.#wordSpread),
      ...(this.#cosineSpread !== undefined && {
        vectors: weight * zScore(cosines?.[slot], this.#cosineSpread),
      }),
      total: this.#totals[slot] ?? 0,
    };
  }

  /** The rank of a slot, from 1 on. */
  getRank(slot: number): number {
    const covered = this.order(mostCovered, () => true).findIndex((found) => found.slot === slot);
    if (covered >= 0) return covered + 1;
    const total = this.#totals[slot] as number;
    return 1 + this.#parts.members.filter((other) => (this.#totals[other] as number) > total).length;
  }
}

/** How near a tool is to the nearest of the sentences. */
function nearestSentence(
  vectors: VectorIndex | undefined,
  sentences: readonly Float32Array[],
): ((slot: number) => number) | undefined {
  if (vectors === undefined || sentences.length === 0) return undefined;
  return (slot) => sentences.reduce((most, sentence) => Math.max(most, vectors.cosine(slot, sentence)), -1);
}

function computeWorth({ at }: LearntUse, now: number): number {
  return 0.5 ** (Math.max(0, now - at) / halfLifeMs);
}

/** Half way from what a tool says of itself to what it was asked for. */
function withUses(vector: Float32Array, uses: readonly LearntUse[], now: number): Float32Array {
  const usable = uses.flatMap((use) =>
    use.vector === undefined ? [] : [{ vector: use.vector, worth: computeWorth(use, now) }],
  );
  if (usable.length === 0) return vector;
  const all = Math.max(
    1,
    usable.reduce((sum, { worth }) => sum + worth, 0),
  );
  const blended = vector.map((number) => number / computeLength(vector));
  for (const use of usable) {
    const share = use.worth / all / computeLength(use.vector);
    for (let at = 0; at < blended.length; at++) {
      blended[at] = (blended[at] as number) + share * (use.vector[at] ?? 0);
    }
  }
  return blended;
}

function computeLength(vector: Float32Array): number {
  return Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0)) || 1;
}

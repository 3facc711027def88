import type { NearWord } from "../words/near-words.ts";
import { findDeed } from "./deeds.ts";
import { addScores, type LexicalIndex, type Occurrences } from "./lexical-index.ts";
import type { RankingWeights } from "./ranking-weights.ts";
import type { SearchedTools } from "./searched-tools.ts";

/** The words of a message, as a search compares them. */
export interface MessageTerms {
  /** Each term once, in the order of the message. */
  readonly terms: readonly string[];
  /** The terms of each sentence. One sentence or none: it is the whole message. */
  readonly sentences: readonly (readonly string[])[];
  /** Terms that mean about the same as those of the message, by these. */
  readonly near?: ReadonlyMap<string, readonly NearWord[]> | undefined;
}

/** About what a common verb counts. Of no account in the public sets; where agents put their goals as a verb and its object, .03. */
const sameDeedScore = 0.8;

/** What the words of a message make of the tools, by slot. */
export interface WordScores {
  /** 0 where no word occurs, and none that is near one. */
  readonly scores: Float64Array;
  /** 1 where a word of the message occurs. */
  readonly isSaid: Uint8Array;
}

/**
 * Scores tools by the words of a message, by slot. A tool is asked for in one passage, so its best sentence counts beside
 * the whole message; it is asked for by its name, so a name that is there whole counts more; and a message that names
 * what other tools of its pack do is a message about that pack.
 */
export function scoreWords(
  index: LexicalIndex,
  { terms, sentences, near }: MessageTerms,
  tools: SearchedTools,
  weights: Pick<RankingWeights, "wholeMessage" | "wholeName" | "pack">,
): WordScores {
  const whole = new Float64Array(index.slotCount);
  const isSaid = new Uint8Array(index.slotCount);
  const named = new Uint16Array(index.slotCount);
  const covered = new PackCover(tools);
  for (const term of terms) {
    addNear(index, near?.get(term), whole);
    const found = index.occurrences(term);
    if (found === undefined) continue;
    addScores(found, whole);
    covered.add(found);
    for (let at = 0; at < found.size; at++) {
      const slot = found.slots[at] as number;
      isSaid[slot] = 1;
      named[slot] = (named[slot] as number) + (found.named[at] as number);
    }
  }
  addSameDeed(index, terms[0], whole);
  const best = sentences.length > 1 ? scoreBestSentence(index, { sentences, near }) : whole;
  for (let slot = 0; slot < whole.length; slot++) {
    const own = whole[slot] as number;
    if (own === 0) continue;
    const passage = weights.wholeMessage * own + (1 - weights.wholeMessage) * (best[slot] as number);
    const name = 1 + (weights.wholeName * (named[slot] as number)) / (index.nameLength(slot) || 1);
    whole[slot] = passage * name + weights.pack * (covered.of(slot) ?? own);
  }
  return { scores: whole, isSaid };
}

/** What a few tools get from each term of a message, in the order of the terms, without those that no tool has. */
export function scoreTerms(
  index: LexicalIndex,
  terms: readonly string[],
  slots: readonly number[],
  { packAt, packSizes }: SearchedTools,
): TermScores[] {
  const known = terms.filter((term) => index.has(term));
  const candidates = slots.map((slot): TermScores => {
    const empty = () => new Float64Array(known.length);
    return { slot, pack: packAt[slot] ?? -1, terms: empty(), inPack: empty() };
  });
  const candidateAt = new Int32Array(index.slotCount).fill(-1);
  for (const [at, slot] of slots.entries()) candidateAt[slot] = at;
  const counts = new Uint32Array(packSizes.length);
  for (const [word, term] of known.entries()) {
    const found = index.occurrences(term) as Occurrences;
    counts.fill(0);
    for (let at = 0; at < found.size; at++) {
      const slot = found.slots[at] as number;
      const candidate = candidates[candidateAt[slot] as number];
      if (candidate !== undefined) candidate.terms[word] = found.scores[at] as number;
      const pack = packAt[slot] ?? -1;
      if (pack >= 0) counts[pack] = (counts[pack] as number) + 1;
    }
    for (const { pack, inPack } of candidates) {
      const others = (packSizes[pack] ?? 1) - 1;
      if (others > 0) inPack[word] = Math.max(0, (counts[pack] as number) - 1) / others;
    }
  }
  return candidates;
}

/** What one tool gets from each term of a message. */
export interface TermScores {
  readonly slot: number;
  /** The number of its pack; -1: it is in none. */
  readonly pack: number;
  readonly terms: Float64Array;
  /** The share of the other tools of its pack that have the term too. 0: in its pack the term is its own. */
  readonly inPack: Float64Array;
}

/** Sums up, for each pack, what the best of its tools gets from each term. */
class PackCover {
  readonly #packAt: Int32Array;
  readonly #sums: Float64Array;
  readonly #best: Float64Array;

  constructor({ packAt, packSizes }: SearchedTools) {
    this.#packAt = packAt;
    this.#sums = new Float64Array(packSizes.length);
    this.#best = new Float64Array(packSizes.length);
  }

  add({ size, slots, scores }: Occurrences): void {
    const best = this.#best;
    const touched: number[] = [];
    for (let at = 0; at < size; at++) {
      const pack = this.#packAt[slots[at] as number] ?? -1;
      if (pack < 0) continue;
      const [score, before] = [scores[at] as number, best[pack] as number];
      if (before === 0) touched.push(pack);
      if (score > before) best[pack] = score;
    }
    for (const pack of touched) {
      this.#sums[pack] = (this.#sums[pack] as number) + (best[pack] as number);
      best[pack] = 0;
    }
  }

  /** Undefined for a tool that is in no pack. */
  of(slot: number): number | undefined {
    return this.#sums[this.#packAt[slot] ?? -1];
  }
}

/** A goal begins with what is to be done: what does the same by another name counts a little, if it has another word. */
function addSameDeed(index: LexicalIndex, verb: string | undefined, total: Float64Array): void {
  const kind = findDeed(verb);
  if (verb === undefined || kind === undefined) return;
  const itself = index.scores([verb]);
  const alike = index.scores([kind]);
  for (let slot = 0; slot < total.length; slot++) {
    const score = total[slot] as number;
    if (score > 0 && itself[slot] === 0 && (alike[slot] as number) > 0) total[slot] = score + sameDeedScore;
  }
}

/** A term that is near one of the message counts less, and never more than that one. */
function addNear(index: LexicalIndex, near: readonly NearWord[] = [], total: Float64Array): void {
  for (const { word, of, weight } of near) {
    const found = index.occurrences(word);
    if (found !== undefined)
      addScores(found, total, weight * Math.min(1, index.getRarity(of) / index.getRarity(word)));
  }
}

function scoreBestSentence(
  index: LexicalIndex,
  { sentences, near }: Pick<MessageTerms, "sentences" | "near">,
): Float64Array {
  const best = new Float64Array(index.slotCount);
  const one = new Float64Array(index.slotCount);
  for (const terms of sentences) {
    one.fill(0);
    for (const term of terms) {
      addNear(index, near?.get(term), one);
      const found = index.occurrences(term);
      if (found !== undefined) addScores(found, one);
    }
    for (let slot = 0; slot < one.length; slot++) {
      if ((one[slot] as number) > (best[slot] as number)) best[slot] = one[slot] as number;
    }
  }
  return best;
}

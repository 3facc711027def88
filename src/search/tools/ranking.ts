import type { TermScores } from "./word-scores.ts";

/** The mean of the scores of some slots, and how far they lie from it. */
export interface Spread {
  readonly mean: number;
  readonly deviation: number;
}

/** The spread of the members that have a score: NaN is none. */
export function measureSpread(scores: Float64Array, members: Uint32Array): Spread {
  let count = 0;
  let sum = 0;
  for (const slot of members) {
    const score = scores[slot] ?? Number.NaN;
    if (Number.isNaN(score)) continue;
    count++;
    sum += score;
  }
  const mean = count === 0 ? 0 : sum / count;
  let squares = 0;
  for (const slot of members) {
    const score = scores[slot] ?? Number.NaN;
    if (!Number.isNaN(score)) squares += (score - mean) ** 2;
  }
  return { mean, deviation: count === 0 ? 0 : Math.sqrt(squares / count) };
}

/**
 * How far a score is from the mean, in standard deviations: so scores of different kinds can be added. No score, or
 * scores that are all alike, give 0, which neither helps nor harms.
 */
export function zScore(score: number | undefined, { mean, deviation }: Spread): number {
  if (score === undefined || Number.isNaN(score) || !(deviation > negligible)) return 0;
  return (score - mean) / deviation;
}

const negligible = 1e-12;

/** Those members that pass with the highest totals, best first; of equals the one that `before` puts first. */
export function best(
  members: Uint32Array,
  totals: Float64Array,
  limit: number,
  {
    passes,
    before,
  }: {
    readonly passes: (slot: number) => boolean;
    readonly before: (slot: number, other: number) => boolean;
  },
): number[] {
  const found: number[] = [];
  if (limit <= 0) return found;
  const isBetter = (slot: number, other: number) => {
    const lead = (totals[slot] as number) - (totals[other] as number);
    return lead > 0 || (lead === 0 && before(slot, other));
  };
  let least = Number.NEGATIVE_INFINITY;
  for (const slot of members) {
    if ((totals[slot] as number) < least || !passes(slot)) continue;
    let low = 0;
    for (let high = found.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (isBetter(slot, found[middle] as number)) high = middle;
      else low = middle + 1;
    }
    found.splice(low, 0, slot);
    if (found.length > limit) found.pop();
    if (found.length === limit) least = totals[found[limit - 1] as number] as number;
  }
  return found;
}

/** A tool among the best of a search. */
export interface Candidate extends TermScores {
  readonly total: number;
}

/**
 * Orders candidates so that those found first answer different parts of a message: a word that a tool answers counts less
 * for the tools after it. For other tools of the same pack it counts less only as far as it tells them from that
 * one: what a pack is about is said by all of its tools, and asked for once. One unit of `terms` is `unit` of a total.
 *
 * @param loss what a word loses once the tool that fits it best is found. Higher: more kinds of tools, and worse second guesses
 */
export function cover(
  candidates: readonly Candidate[],
  { unit, loss }: { readonly unit: number; readonly loss: number },
): { slot: number; score: number }[] {
  const most = findHighest(candidates);
  const worths = new Map(candidates.map(({ pack }) => [pack, new Float64Array(most.length).fill(1)]));
  const left = [...candidates];
  const ordered: { slot: number; score: number }[] = [];
  while (left.length > 0) {
    let [bestAt, bestScore] = [0, Number.NEGATIVE_INFINITY];
    for (const [at, { total, terms, pack }] of left.entries()) {
      const worth = worths.get(pack) as Float64Array;
      let lost = 0;
      for (let word = 0; word < most.length; word++) {
        lost += (1 - (worth[word] as number)) * (terms[word] as number);
      }
      const score = total - lost * unit;
      if (score > bestScore) [bestAt, bestScore] = [at, score];
    }
    const [chosen] = left.splice(bestAt, 1);
    if (chosen === undefined) break;
    ordered.push({ slot: chosen.slot, score: bestScore });
    for (const [pack, worth] of worths)
      takeAnswered(worth, chosen, { most, loss, isOwn: pack === chosen.pack });
  }
  return ordered;
}

/** What the best candidate gets from each word. */
function findHighest(candidates: readonly Candidate[]): Float64Array {
  const most = new Float64Array(candidates[0]?.terms.length ?? 0);
  for (const { terms } of candidates) {
    for (let word = 0; word < most.length; word++) {
      most[word] = Math.max(most[word] as number, terms[word] as number);
    }
  }
  return most;
}

/** Takes off what a chosen tool answers. @param isOwn whether the worth is that of words for tools of its own pack */
function takeAnswered(
  worth: Float64Array,
  { pack, terms, inPack }: Candidate,
  { most, loss, isOwn }: { readonly most: Float64Array; readonly loss: number; readonly isOwn: boolean },
): void {
  for (let word = 0; word < most.length; word++) {
    const share = (terms[word] as number) / (most[word] || 1);
    const own = isOwn && pack >= 0 ? 1 - (inPack[word] as number) : 1;
    worth[word] = (worth[word] as number) * (1 - loss * share * own);
  }
}

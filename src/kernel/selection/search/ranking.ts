/** Where the scores of some slots lie. */
export interface Spread {
  readonly mean: number;
  readonly deviation: number;
}

/** Of the members that have a score: NaN is none. */
export function spreadOf(scores: Float64Array, members: Uint32Array): Spread {
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

/** What a candidate gets from each word of a query, in the order of the words. */
export interface Candidate {
  readonly slot: number;
  readonly total: number;
  readonly words: Float64Array;
}

/**
 * Orders candidates so that those found first answer different parts of a message: a word that a tool answers is worth
 * less for the tools after it. One unit of `words` is `unit` of a total.
 *
 * @param kept what a word is still worth once the tool that fits it best is found. Lower: more kinds of tools, and worse
 * second guesses
 */
export function cover(
  candidates: readonly Candidate[],
  { unit, kept }: { readonly unit: number; readonly kept: number },
): { slot: number; score: number }[] {
  const wordCount = candidates[0]?.words.length ?? 0;
  const most = new Float64Array(wordCount);
  for (const { words } of candidates) {
    for (let word = 0; word < wordCount; word++) {
      most[word] = Math.max(most[word] as number, words[word] as number);
    }
  }
  const worth = new Float64Array(wordCount).fill(1);
  const left = [...candidates];
  const ordered: { slot: number; score: number }[] = [];
  while (left.length > 0) {
    let [bestAt, bestScore] = [0, Number.NEGATIVE_INFINITY];
    for (const [at, { total, words }] of left.entries()) {
      let lost = 0;
      for (let word = 0; word < wordCount; word++)
        lost += (1 - (worth[word] as number)) * (words[word] as number);
      const score = total - lost * unit;
      if (score > bestScore) [bestAt, bestScore] = [at, score];
    }
    const [chosen] = left.splice(bestAt, 1);
    if (chosen === undefined) break;
    ordered.push({ slot: chosen.slot, score: bestScore });
    for (let word = 0; word < wordCount; word++) {
      const share = (chosen.words[word] as number) / (most[word] || 1);
      worth[word] = (worth[word] as number) * (1 - (1 - kept) * share);
    }
  }
  return ordered;
}

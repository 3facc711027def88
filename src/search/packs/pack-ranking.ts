/** A pack near a goal. */
export interface FoundPack {
  readonly name: string;
  /** 0 to 1: 1 is the nearest by words and by vectors. */
  readonly score: number;
}

/** What packs are ranked by. */
export interface PackEvidence {
  /** The scores of all that a pack says, by its name. */
  readonly words: Pick<ReadonlyMap<string, number>, "get">;
  /** The scores of its tools by words, by slot. */
  readonly toolWords: Float64Array;
  /** The likeness of its tools, by slot. */
  readonly cosines: Float64Array | undefined;
}

/**
 * Every pack that has tools, best first: two thirds by words, one third by the vector of its nearest tool, each as a share of the
 * best pack's. Of the words, half are those of the whole pack and half those of its best tool, as a large pack of many
 * things says little as a whole.
 *
 * @param tools the slots of each pack's tools; packs that are equally near stay in this order
 */
export function fusePacks(
  tools: ReadonlyMap<string, readonly number[]>,
  { words, toolWords, cosines }: PackEvidence,
): FoundPack[] {
  const names = [...tools.keys()];
  const slots = [...tools.values()];
  const ofWhole = toShares(Float64Array.from(names, (name) => words.get(name) ?? 0));
  const ofBest = toShares(findHighest(slots, toolWords, 0));
  const nearest =
    cosines === undefined ? undefined : toShares(findHighest(slots, cosines, computeMean(cosines)));
  const ranked = names.map((name, at) => {
    const byWords = ((ofWhole[at] as number) + (ofBest[at] as number)) / 2;
    return { name, score: (2 * byWords + (nearest?.[at] ?? byWords)) / 3 };
  });
  return ranked.sort((one, two) => two.score - one.score);
}

/** The mean of the numbers; NaN counts as absent. */
function computeMean(numbers: Float64Array): number {
  let [sum, count] = [0, 0];
  for (const number of numbers) {
    if (Number.isNaN(number)) continue;
    sum += number;
    count++;
  }
  return sum / Math.max(1, count);
}

/** How far the best tool of each pack is above `mean`, at least 0. */
function findHighest(
  packs: readonly (readonly number[])[],
  scores: Float64Array,
  mean: number,
): Float64Array {
  return Float64Array.from(packs, (slots) => {
    let highest = mean;
    for (const slot of slots) {
      const score = scores[slot] as number;
      if (score > highest) highest = score;
    }
    return highest - mean;
  });
}

/** Scales scores to shares of the highest. */
function toShares(scores: Float64Array): Float64Array {
  let highest = 0;
  for (const score of scores) if (score > highest) highest = score;
  return highest > 0 ? scores.map((score) => Math.max(0, score) / highest) : scores;
}

/** Lower takes in more packs that are not meant. Best of .7 to .95 by F1 over APIs, catalogues and fields as packs. */
const leastOfBest = 0.85;
const mostPacks = 3;

/** Those about as good as the first, at least one. @param packs best first */
export function nearPacks(packs: readonly FoundPack[]): FoundPack[] {
  const [first] = packs;
  const least = Math.max(leastOfBest * (first?.score ?? 0), Number.MIN_VALUE);
  return packs.slice(0, mostPacks).filter((pack) => pack === first || pack.score >= least);
}

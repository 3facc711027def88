/** A pack near a goal. */
export interface FoundPack {
  readonly name: string;
  /** 0 to 1: 1 is the nearest by words and by vectors. */
  readonly score: number;
}

/**
 * Every pack that has tools, best first: half by its words, half by the vector of its nearest tool, each as a share of
 * the best pack's.
 *
 * @param tools the slots of each pack's tools
 * @param cosines of the tools, by slot
 */
export function fusePacks(
  tools: ReadonlyMap<string, readonly number[]>,
  words: ReadonlyMap<string, number>,
  cosines: Float64Array | undefined,
): FoundPack[] {
  const names = [...tools.keys()];
  const byWords = shares(names.map((name) => words.get(name) ?? 0));
  const byVectors = cosines === undefined ? byWords : shares(nearest([...tools.values()], cosines));
  return names
    .map((name, at) => ({ name, score: ((byWords[at] ?? 0) + (byVectors[at] ?? 0)) / 2 }))
    .sort((one, two) => two.score - one.score || (one.name < two.name ? -1 : 1));
}

/** Of each pack how far its nearest tool is above the mean of all tools. */
function nearest(packs: readonly (readonly number[])[], cosines: Float64Array): number[] {
  const known = cosines.filter((cosine) => !Number.isNaN(cosine));
  const mean = known.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, known.length);
  return packs.map((slots) =>
    slots.reduce((highest, slot) => Math.max(highest, (cosines[slot] || mean) - mean), 0),
  );
}

function shares(scores: readonly number[]): number[] {
  const highest = scores.reduce((most, score) => Math.max(most, score), 0);
  return scores.map((score) => (highest > 0 ? Math.max(0, score) / highest : 0));
}

/** Lower takes in more packs that are not meant. */
const leastOfBest = 0.8;
const mostPacks = 3;

/** Those about as good as the first, at least one. @param packs best first */
export function nearPacks(packs: readonly FoundPack[]): FoundPack[] {
  const [first] = packs;
  const least = Math.max(leastOfBest * (first?.score ?? 0), Number.MIN_VALUE);
  return packs.slice(0, mostPacks).filter((pack) => pack === first || pack.score >= least);
}

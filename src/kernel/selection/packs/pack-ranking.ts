/** A pack near a goal. */
export interface FoundPack {
  readonly name: string;
  /** 0 to 1: 1 is the nearest by words and by vectors. */
  readonly score: number;
}

/** What packs are ranked by. */
export interface PackEvidence {
  /** Of all that a pack says, by its name. */
  readonly words: ReadonlyMap<string, number>;
  /** Of its tools, by slot. */
  readonly toolWords: Float64Array;
  /** Of its tools, by slot. */
  readonly cosines: Float64Array | undefined;
}

/**
 * Every pack that has tools, best first: half by words, half by the vector of its nearest tool, each as a share of the
 * best pack's. Of the words, half are those of the whole pack and half those of its best tool, as a large pack of many
 * things says little as a whole.
 *
 * @param tools the slots of each pack's tools
 */
export function fusePacks(
  tools: ReadonlyMap<string, readonly number[]>,
  { words, toolWords, cosines }: PackEvidence,
): FoundPack[] {
  const names = [...tools.keys()];
  const slots = [...tools.values()];
  const ofWhole = shares(names.map((name) => words.get(name) ?? 0));
  const ofBest = shares(slots.map((own) => highestOf(own, (slot) => toolWords[slot] ?? 0)));
  const byWords = names.map((_name, at) => ((ofWhole[at] ?? 0) + (ofBest[at] ?? 0)) / 2);
  const byVectors = cosines === undefined ? byWords : shares(nearest(slots, cosines));
  return names
    .map((name, at) => ({ name, score: ((byWords[at] ?? 0) + (byVectors[at] ?? 0)) / 2 }))
    .sort((one, two) => two.score - one.score || (one.name < two.name ? -1 : 1));
}

/** Of each pack how far its nearest tool is above the mean of all tools. */
function nearest(packs: readonly (readonly number[])[], cosines: Float64Array): number[] {
  const known = cosines.filter((cosine) => !Number.isNaN(cosine));
  const mean = known.reduce((sum, cosine) => sum + cosine, 0) / Math.max(1, known.length);
  return packs.map((slots) => highestOf(slots, (slot) => (cosines[slot] || mean) - mean));
}

function highestOf(slots: readonly number[], scoreOf: (slot: number) => number): number {
  return slots.reduce((highest, slot) => Math.max(highest, scoreOf(slot)), 0);
}

function shares(scores: readonly number[]): number[] {
  const highest = scores.reduce((most, score) => Math.max(most, score), 0);
  return scores.map((score) => (highest > 0 ? Math.max(0, score) / highest : 0));
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

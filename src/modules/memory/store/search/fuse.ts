/** What two rankings make of one entry: each 0 to 1, undefined where it did not find it. */
export interface Found {
  readonly seq: number;
  readonly score: number;
  readonly words: number | undefined;
  readonly cosine: number | undefined;
}

/** Least nearness: where nothing reaches it, nothing counts as near. */
const leastNear = 0.1;

/**
 * Both scores, weighed, each as a share of the best: what cosines a model gives to texts that are about the same is its
 * own affair. Ranks say too little of a weak model, and no least cosine is right for all of them.
 *
 * @param weight of the meaning, 0 to 1
 */
export function fuse(
  words: ReadonlyMap<number, number>,
  cosines: ReadonlyMap<number, number>,
  weight: number,
): Found[] {
  const best = Math.max(...words.values(), 0);
  const nearest = Math.max(...cosines.values(), leastNear);
  const seqs = new Set([...words.keys(), ...cosines.keys()]);
  return [...seqs].map((seq) => {
    const byWords = words.get(seq);
    const cosine = cosines.get(seq);
    const share = best > 0 && byWords !== undefined ? byWords / best : 0;
    return {
      seq,
      score: (1 - weight) * share + (weight * Math.max(0, cosine ?? 0)) / nearest,
      words: byWords,
      cosine,
    };
  });
}

/** What the index keeps of one word in one entry, in one number. */
export interface PostingCounts {
  /** How often the text says it. Up to 15. */
  readonly own: number;
  /** How often what is said beside the text does: names, tags, speaker, date. Up to 3. */
  readonly meta: number;
  /** The text ends with a question. */
  readonly asks: boolean;
  /** The text says when something was. */
  readonly dated: boolean;
  /** The length of the text, in words, roughly. */
  readonly length: number;
}

export function packCounts({ own, meta, asks, dated, length }: PostingCounts): number {
  const said = Math.min(own, 15) | (Math.min(meta, 3) << 4);
  return said | (asks ? 64 : 0) | (dated ? 128 : 0) | (lengthStep(length) << 8);
}

export function unpackCounts(counts: number): PostingCounts {
  return {
    own: counts & 15,
    meta: (counts >> 4) & 3,
    asks: (counts & 64) !== 0,
    dated: (counts & 128) !== 0,
    length: lengths[counts >> 8] ?? 0,
  };
}

const longestStep = 31;
const lengths = Array.from({ length: longestStep + 1 }, (_, at) => 2 ** (at / 2) - 1);

/** Two steps for each doubling. */
function lengthStep(length: number): number {
  return Math.min(longestStep, Math.round(2 * Math.log2(length + 1)));
}

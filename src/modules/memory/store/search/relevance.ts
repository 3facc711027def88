/** Cosines of one sentence model between which a likeness says something. */
export interface Likeness {
  /** What texts that have nothing to do with each other reach. */
  readonly unrelated: number;
  /** What only texts that are about the same reach. */
  readonly related: number;
}

/** So many of the rarest words of a query say what it is about. */
const tellingWords = 3;
/**
 * Entries that the store is taken to have beside its own, none with a word of the query: in a store of three entries no
 * word is rare by itself.
 */
const imaginedEntries = 50;
/** An entry with as much of a word says it, however long it is; with less, a neighbour of its does. */
const said = 0.5;
/** What an entry must have of the weight of those words, where nothing is known of its meaning. See bench/README.md. */
const leastShare = 0.28;
/** The same where its meaning was compared: what words leave open, meaning has to fill. */
const leastShareBesideMeaning = 0.34;

/** How much of what a query is about each entry says by its words. */
export class WordShares {
  readonly #entries: number;
  readonly #most: number;
  readonly #weights = new Map<number, number>();

  /** @param counts in how many entries of the scope each word of the query is */
  constructor(entries: number, counts: readonly number[]) {
    this.#entries = entries;
    const rarest = counts.map((count) => this.#computeRarity(count)).sort((one, other) => other - one);
    this.#most = rarest.slice(0, tellingWords).reduce((sum, rarity) => sum + rarity, 0);
  }

  /** Adds one word. @param amounts how often each entry says it, by row number; a part for what stands beside it */
  readonly add = (count: number, amounts: ReadonlyMap<number, number>): void => {
    const rarity = this.#computeRarity(count);
    for (const [seq, amount] of amounts)
      this.#weights.set(seq, (this.#weights.get(seq) ?? 0) + rarity * (amount < said ? amount : 1));
  };

  /** 0 to 1. */
  of(seq: number): number {
    return this.#most === 0 ? 0 : Math.min(1, (this.#weights.get(seq) ?? 0) / this.#most);
  }

  /** A word that much of the store says tells little, also in a small store. */
  #computeRarity(count: number): number {
    const spread = Math.max(0, count - 1) / (this.#entries + 5);
    const rarity = Math.log(1 + (this.#entries + imaginedEntries - count + 0.5) / (count + 0.5));
    return rarity * (1 - spread) ** 2;
  }
}

/** An entry with less of what the query is about than this part of what the best one has is not what was meant. */
const leastOfBest = 1 / 3;

/** What is known of how an entry relates to a query. */
export interface Evidence {
  /** The share of the query's telling words that the entry says; see {@link WordShares}. */
  readonly share: number;
  /** The highest share of all entries that were found. */
  readonly bestShare: number;
  /** Undefined: the entry's meaning was not compared. */
  readonly cosine?: number | undefined;
  /** Undefined: nothing is known of the model's cosines, so none is held against an entry. */
  readonly likeness?: Likeness | undefined;
}

/** Whether an entry is likely about the query. */
export function isRelevant({ share, bestShare, cosine, likeness }: Evidence): boolean {
  const least = leastOfBest * bestShare;
  if (cosine === undefined) return share >= Math.max(leastShare, least);
  if (likeness === undefined) return true;
  const { unrelated, related } = likeness;
  const near = Math.max(0, cosine - unrelated) / Math.max(related - unrelated, Number.EPSILON);
  return share / Math.max(leastShareBesideMeaning, least) + near >= 1;
}

/** Fewer say nothing of what is usual. */
const leastCompared = 10;
/** Standard deviations above the mean of what was compared with the query. */
const unrelatedDeviations = 1.5;
const relatedDeviations = 3.5;

/** What stands out among the cosines that a search found, for a model that has no figures of its own. */
export function likenessAmong(cosines: Iterable<number>): Likeness | undefined {
  const all = [...cosines];
  if (all.length < leastCompared) return undefined;
  const mean = all.reduce((sum, cosine) => sum + cosine, 0) / all.length;
  const deviation = Math.sqrt(all.reduce((sum, cosine) => sum + (cosine - mean) ** 2, 0) / all.length);
  return {
    unrelated: mean + unrelatedDeviations * deviation,
    related: mean + relatedDeviations * deviation,
  };
}

import { unpackCounts } from "./posting-counts.ts";

/** One word in one entry. */
export interface Posting {
  readonly seq: number;
  /** See PostingCounts. */
  readonly counts: number;
}

/** An entry and where it stands. */
export interface Place {
  readonly seq: number;
  readonly kind: string;
  readonly session: string | null;
  readonly position: number | null;
}

export interface ScopeSize {
  readonly entries: number;
  /** Of all their texts. */
  readonly words: number;
}

export interface ScoredQuery extends ScopeSize {
  /** It asks for a time: what says one counts more. */
  readonly asksWhen: boolean;
  /** Called for each word with the number of entries that have it and, by row number, how much of it each entry has. */
  readonly onWord?: ((count: number, amounts: ReadonlyMap<number, number>) => void) | undefined;
}

export interface PostingsFound {
  /** By word. */
  readonly postings: ReadonlyMap<string, readonly Posting[]>;
  /** In how many entries of the scope a word is. */
  readonly counts: ReadonlyMap<string, number>;
}

/** How fast a word said again counts less. */
const saturation = 1.2;
/** How much a long text has to say a word more often. Not a turn of a conversation: those are short, and none the better for it. */
const lengthWeight = 0.75;
const metaWeight = 2;
/** What an entry has of a word that is said two before it, just before it, or just after it. */
const before2 = 0.4;
const before1 = 0.4;
const after1 = 0.4;
/** A reply has the words of the question before it, nearly as if it had said them. */
const questionBefore = 0.8;
/** A question is less often what is looked for than what was said to it. */
const questionWeight = 0.9;
/** "When" is answered by what says a time. */
const datedWeight = 1.15;
/** Longer texts stand for themselves, and say nothing of their neighbours: about 600 characters. */
const longestContext = 75;

/**
 * BM25 over the words of the text, of what is said beside it, and of its neighbours, with the scope's own share of
 * entries for how rare a word is.
 *
 * @param places of all that have a posting, and their neighbours: who is missing gets no score
 */
export function scoreWords(
  { postings, counts }: PostingsFound,
  places: readonly Place[],
  query: ScoredQuery,
): Map<number, number> {
  const { placeOf, seqAt } = indexOf(places);
  const averageLength = Math.max(1, query.words / Math.max(1, query.entries));
  const scores = new Map<number, number>();
  const weights = new Map<number, number>();
  for (const [word, found] of postings) {
    const amounts = new Map<number, number>();
    const add = (seq: number | undefined, amount: number) => {
      if (seq !== undefined) amounts.set(seq, (amounts.get(seq) ?? 0) + amount);
    };
    for (const { seq, counts: packed } of found) {
      const place = placeOf.get(seq);
      if (place === undefined) continue;
      const { own, meta, asks, dated, length } = unpackCounts(packed);
      const norm = place.kind === "message" ? 1 : 1 - lengthWeight + (lengthWeight * length) / averageLength;
      add(seq, own / norm + metaWeight * meta);
      weights.set(
        seq,
        (asks && place.kind === "message" ? questionWeight : 1) * (dated && query.asksWhen ? datedWeight : 1),
      );
      const { session, position } = place;
      if (own === 0 || session === null || position === null || length > longestContext) continue;
      add(seqAt(session, position + 1), own * (asks ? questionBefore : before1));
      add(seqAt(session, position + 2), own * before2);
      add(seqAt(session, position - 1), own * after1);
    }
    const count = counts.get(word) ?? found.length;
    query.onWord?.(count, amounts);
    const rarity = Math.log(1 + Math.max(0, query.entries - count + 0.5) / (count + 0.5));
    for (const [seq, amount] of amounts) {
      const score = (rarity * amount * (saturation + 1)) / (amount + saturation);
      scores.set(seq, (scores.get(seq) ?? 0) + score);
    }
  }
  for (const [seq, weight] of weights) scores.set(seq, (scores.get(seq) ?? 0) * weight);
  return scores;
}

function indexOf(places: readonly Place[]) {
  const placeOf = new Map<number, Place>();
  const sessions = new Map<string, Map<number, number>>();
  for (const place of places) {
    const { seq, session, position } = place;
    placeOf.set(seq, place);
    if (session === null || position === null) continue;
    const positions = sessions.get(session);
    if (positions === undefined) sessions.set(session, new Map([[position, seq]]));
    else positions.set(position, seq);
  }
  return {
    placeOf,
    seqAt: (session: string, position: number) => sessions.get(session)?.get(position),
  };
}

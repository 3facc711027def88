import type { NearWord } from "../../../../search/index.ts";
import { type PostingCounts, unpackCounts } from "./posting-counts.ts";
import { isOfGrammar } from "./words.ts";

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
  /** Who speaks in a conversation, as "user" or "assistant". */
  readonly role: string | null;
}

export interface ScopeSize {
  readonly entries: number;
  /** The words of all their texts. */
  readonly words: number;
}

export interface ScoredQuery extends ScopeSize {
  /** It asks for a time: what says one counts more. */
  readonly asksWhen: boolean;
  /** How much more a turn of the user counts than another. */
  readonly userTurns: number;
  /** Words that mean about the same as those of the question. They count less, and never more than the word they stand for. */
  readonly near?: readonly NearWord[];
  /** Called for each word of the question with the number of entries that have it and, by row number, how much of it each entry has. */
  readonly onWord?: ((count: number, amounts: ReadonlyMap<number, number>) => void) | undefined;
}

export interface PostingsFound {
  /** The postings by word. */
  readonly postings: ReadonlyMap<string, readonly Posting[]>;
  /** The number of entries of the scope in which a word is. */
  readonly counts: ReadonlyMap<string, number>;
}

/** How fast a word said again counts less. */
const saturation = 1.2;
/** How much more often a long text has to say a word. */
const lengthWeight = 0.75;
/**
 * A turn of a conversation is none the better for being short; one of more words than these, about 400 characters, has
 * to say a word more often, and takes less from its neighbours: a reply that goes through everything is about nothing.
 */
const longTurn = 40;
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
/** Weight of a character of grammar, as a share of that of another one as rare. */
const grammarWeight = 0.03;
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
  places: ReadonlyMap<number, Place>,
  query: ScoredQuery,
): Map<number, number> {
  const seqAt = openSessionLookup(places);
  const averageLength = Math.max(1, query.words / Math.max(1, query.entries));
  const traits = new Map<number, Traits>();
  const scores = new Map<number, number>();
  const near = new Map(query.near?.map((one) => [one.word, one]));
  for (const found of postings.values()) {
    for (const { seq, counts: packed } of found) {
      if (traits.has(seq)) continue;
      const place = places.get(seq);
      if (place !== undefined)
        traits.set(seq, computeTraits(place, unpackCounts(packed), query, averageLength));
    }
  }
  for (const [word, found] of postings) {
    const amounts = new Map<number, number>();
    const lend = (seq: number | undefined, amount: number) => {
      if (seq === undefined) return;
      amounts.set(seq, (amounts.get(seq) ?? 0) + amount / (traits.get(seq)?.norm ?? 1));
    };
    for (const { seq, counts: packed } of found) {
      const known = traits.get(seq);
      if (known === undefined) continue;
      const { own, meta, asks, length } = unpackCounts(packed);
      amounts.set(seq, (amounts.get(seq) ?? 0) + own / known.norm + metaWeight * meta);
      const { session, position } = known.place;
      if (own === 0 || session === null || position === null || length > longestContext) continue;
      lend(seqAt(session, position + 1), own * (asks ? questionBefore : before1));
      lend(seqAt(session, position + 2), own * before2);
      lend(seqAt(session, position - 1), own * after1);
    }
    const standsFor = near.get(word);
    // A near word tells no more than the one it stands for.
    const count = Math.max(
      counts.get(word) ?? found.length,
      standsFor === undefined ? 0 : (counts.get(standsFor.of) ?? 0),
    );
    const weight = standsFor?.weight ?? 1;
    const ofGrammar = isOfGrammar(word);
    if (!ofGrammar && standsFor === undefined) query.onWord?.(count, amounts);
    const rarity = computeRarity(count, query.entries) * (ofGrammar ? grammarWeight : weight);
    for (const [seq, amount] of amounts) {
      const score = (rarity * amount * (saturation + 1)) / (amount + saturation);
      scores.set(seq, (scores.get(seq) ?? 0) + score);
    }
  }
  for (const [seq, score] of scores) {
    const byRole = places.get(seq)?.role === "user" ? query.userTurns : 1;
    const weight = byRole * (traits.get(seq)?.weight ?? 1);
    if (weight !== 1) scores.set(seq, score * weight);
  }
  return scores;
}

function computeRarity(count: number, entries: number): number {
  return Math.log(1 + Math.max(0, entries - count + 0.5) / (count + 0.5));
}

/** Facts of an entry that are the same for every word. */
interface Traits {
  readonly place: Place;
  /** What its words and those of its neighbours are divided by. */
  readonly norm: number;
  readonly weight: number;
}

function computeTraits(
  place: Place,
  { asks, dated, length }: PostingCounts,
  { asksWhen }: ScoredQuery,
  averageLength: number,
): Traits {
  const isTurn = place.kind === "message";
  return {
    place,
    norm: isTurn
      ? Math.max(1, length / longTurn)
      : 1 - lengthWeight + (lengthWeight * length) / averageLength,
    weight: (asks && isTurn ? questionWeight : 1) * (dated && asksWhen ? datedWeight : 1),
  };
}

/** Who stands where in a session; looked at where a turn is found. */
function openSessionLookup(
  places: ReadonlyMap<number, Place>,
): (session: string, position: number) => number | undefined {
  let sessions: Map<string, Map<number, number>> | undefined;
  return (session, position) => (sessions ??= inSessions(places)).get(session)?.get(position);
}

function inSessions(places: ReadonlyMap<number, Place>): Map<string, Map<number, number>> {
  const sessions = new Map<string, Map<number, number>>();
  for (const { seq, session, position } of places.values()) {
    if (session === null || position === null) continue;
    const positions = sessions.get(session);
    if (positions === undefined) sessions.set(session, new Map([[position, seq]]));
    else positions.set(position, seq);
  }
  return sessions;
}

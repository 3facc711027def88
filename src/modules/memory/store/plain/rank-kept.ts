import type { MemoryEntry } from "../memory-entry.ts";
import type { MemoryHit, MemoryHits, MemorySearch } from "../memory-store.ts";
import { type CheckedSearch, checkedSearch } from "../search/checked-search.ts";
import {
  asksWhatWasSaid,
  findTimePhrase,
  isAboutTime,
  type TimePhrase,
} from "../search/dates/time-phrase.ts";
import { isOfTime, isReckoned, weighTimes } from "../search/dates/time-weights.ts";
import { type IndexedDocument, toDocument } from "../search/document.ts";
import { SaidNames } from "../search/names/names.ts";
import { writeNote } from "../search/note.ts";
import { packCounts } from "../search/posting-counts.ts";
import { isRelevant, WordShares } from "../search/relevance.ts";
import { type Place, type Posting, scoreWords } from "../search/word-scores.ts";
import { splitQuery, splitSought, splitWords } from "../search/words.ts";
import { type KeptEntry, seenBy } from "./kept-entry.ts";
import { matchesFilter } from "./matches-filter.ts";

interface Seen {
  readonly entry: MemoryEntry;
  readonly document: IndexedDocument;
}

type Found = Pick<MemoryHit, "entry" | "score" | "match"> & {
  readonly seq: number;
  /** How much of what the query is about its words say; absent where its name does. */
  readonly share?: number;
};

/** What `searchKept` gives. */
export function rankKept(
  scope: string,
  all: readonly KeptEntry[],
  wanted: MemorySearch,
  now: number,
): MemoryHits {
  const search = checkedSearch(wanted);
  const { query, mode, order, offset, limit, window } = search;
  const seen = all.flatMap((kept) => {
    const entry = seenBy(scope, kept);
    return entry
      ? [{ entry, document: toDocument({ ...entry, ...entry.place, seq: kept.seq, scopes: [] }) }]
      : [];
  });
  const found = mode === "names" ? findNamed(seen, query) : findAll(seen, search);
  const meant = found.filter(({ entry }) => matchesFilter(scope, entry, search, now));
  const phrase =
    search.timePhrases && !isAboutTime(query) ? findTimePhrase(query, search.now ?? now) : undefined;
  const asked = phrase !== undefined && asksWhatWasSaid(query) ? phrase : undefined;
  const then = meant.filter(({ entry: { at } }) => asked && at >= asked.since && at < asked.until);
  const strict = search.onlyRelevant && mode !== "names" && then.length === 0;
  const bestShare = Math.max(0, ...meant.map(({ share = 0 }) => share));
  const relevant = strict
    ? meant.filter(({ share = 1, entry }) => isRelevant({ share, bestShare }) || isReckoned(entry.at, phrase))
    : meant;
  const leftOut = meant.length - relevant.length;
  const left = then.length > 0 ? then : ofThenFirst(relevant, phrase);
  const sorted = order === "recent" ? left.toSorted(newerFirst) : left;
  const hits = sorted
    .slice(offset, offset + limit)
    .map(({ entry, score, match }) => ({ entry, score, match, ...besides(scope, seen, entry, window) }));
  const none = {
    stored: seen.length,
    excluded: found.length - meant.length,
    beyond: sorted.length,
    mode,
    leftOut,
  };
  return {
    hits,
    total: sorted.length,
    by: mode === "names" ? "names" : "words",
    time:
      asked && then.length > 0 ? { phrase: asked.phrase, since: asked.since, until: asked.until } : undefined,
    note: hits.length > 0 ? undefined : writeNote(none),
    ...(leftOut > 0 && { leftOut }),
  };
}

/** What is named stays where it is; of the others what is of the time that the query speaks of counts more. */
function ofThenFirst(found: readonly Found[], time: TimePhrase | undefined): readonly Found[] {
  if (time === undefined) return found;
  const named = found.filter(({ match }) => match === "name");
  const spoken = found.filter(({ match }) => match !== "name");
  const weighed = weighTimes(spoken, ({ entry }) => isOfTime(entry, time));
  return [...named, ...weighed.toSorted((one, other) => other.score - one.score || newerFirst(one, other))];
}

/** What is named stands before what is only spoken of. */
function findAll(seen: readonly Seen[], search: CheckedSearch): readonly Found[] {
  const named = search.mode === "auto" ? findNamed(seen, search.query) : [];
  // A name that more entries have is no way to say which of them is meant.
  const first = named.length > 3 ? [] : named;
  const sure = new Set(first.map(({ seq }) => seq));
  return [...first, ...findSpoken(seen, search).filter(({ seq }) => !sure.has(seq))];
}

function findNamed(seen: readonly Seen[], query: string): readonly Found[] {
  const said = new SaidNames(query);
  const isKnown = (word: string) => seen.some(({ document: { postings } }) => postings.has(word));
  const isMeant = (name: string) =>
    said.says(name) || said.listSlips(name).some((slip) => splitWords(slip).some((word) => !isKnown(word)));
  return seen
    .filter(({ document: { names } }) => names.some(isMeant))
    .map(({ entry, document: { seq } }): Found => ({ seq, entry, score: 1, match: "name" }))
    .sort(newerFirst);
}

function findSpoken(seen: readonly Seen[], { query, userTurns }: CheckedSearch): readonly Found[] {
  const postings = new Map<string, Posting[]>();
  for (const word of splitSought(query)) {
    const found = seen.flatMap(({ document: { seq, postings: said } }) => {
      const counts = said.get(word);
      return counts === undefined ? [] : [{ seq, counts: packCounts(counts) }];
    });
    postings.set(word, found);
  }
  const counts = new Map([...postings].map(([word, found]) => [word, found.length]));
  const words = seen.reduce((sum, { document }) => sum + document.length, 0);
  const size = { entries: seen.length, words, asksWhen: isAboutTime(query), userTurns };
  const shares = new WordShares(
    seen.length,
    splitQuery(query).map((word) => counts.get(word) ?? 0),
  );
  const scores = scoreWords(
    { postings, counts },
    new Map(seen.map(toPlace).map((place) => [place.seq, place])),
    { ...size, onWord: shares.add },
  );
  const best = Math.max(...scores.values());
  return seen
    .flatMap(({ entry, document: { seq } }): Found[] => {
      const score = scores.get(seq);
      return score === undefined
        ? []
        : [{ seq, entry, score: score / best, match: "full-text", share: shares.of(seq) }];
    })
    .sort((one, other) => other.score - one.score || newerFirst(one, other));
}

function toPlace({ entry: { kind, place }, document: { seq } }: Seen): Place {
  return {
    seq,
    kind,
    session: place?.session ?? null,
    position: place?.position ?? null,
    role: place?.role ?? null,
  };
}

function newerFirst(one: Found, other: Found): number {
  return other.entry.at - one.entry.at || other.seq - one.seq;
}

/** Its neighbours in its session; what stands beside an entry is not shared with it. */
function besides(
  scope: string,
  seen: readonly Seen[],
  { place, scope: owner }: MemoryEntry,
  size: number,
): Pick<MemoryHit, "before" | "after"> {
  if (size === 0 || place === undefined || owner !== scope) return { before: [], after: [] };
  const getPosition = (entry: MemoryEntry) => entry.place?.position ?? 0;
  const session = seen
    .map(({ entry }) => entry)
    .filter((entry) => entry.scope === scope && entry.place?.session === place.session)
    .filter(({ deletedAt }) => deletedAt === undefined)
    .sort((one, other) => getPosition(one) - getPosition(other));
  return {
    before: session.filter((entry) => getPosition(entry) < place.position).slice(-size),
    after: session.filter((entry) => getPosition(entry) > place.position).slice(0, size),
  };
}

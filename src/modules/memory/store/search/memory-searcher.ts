import type { Kysely } from "kysely";
import type { Clock } from "../../../../base/index.ts";
import { compareTexts, saysTheSame } from "../likeness.ts";
import type { MemoryHit, MemoryHits, MemorySearch } from "../memory-store.ts";
import type { Tables } from "../tables.ts";
import type { Meaning } from "../vectors/meaning.ts";
import type { MemoryVectors } from "../vectors/memory-vectors.ts";
import {
  type Candidate,
  type KnownCandidates,
  readCandidates,
  readKeywordHits,
  readNeighbours,
  readScope,
  type Sought,
  type SoughtScope,
} from "./candidates.ts";
import { type CheckedSearch, checkedSearch } from "./checked-search.ts";
import { asksWhatWasSaid, findTimePhrase, isAboutTime, type TimePhrase } from "./dates/time-phrase.ts";
import { isOfTime, isReckoned, mostDated, weighTimes } from "./dates/time-weights.ts";
import { findAlike } from "./find-alike.ts";
import { type Found as Fused, fuse } from "./fuse.ts";
import { hop } from "./graph-hop.ts";
import { type KnownScope, KnownScopes } from "./known-scopes.ts";
import { findNames } from "./names/find-names.ts";
import { ScopeNearWords } from "./near-words.ts";
import { noteOfOtherTimes, writeMeaningNote, writeNote } from "./note.ts";
import { findForms } from "./other-forms.ts";
import { type FoundEntry, readHits } from "./read-hits.ts";
import { readPostings } from "./read-postings.ts";
import { readTexts } from "./read-texts.ts";
import { isRelevant, likenessAmong, WordShares } from "./relevance.ts";
import { byWhat, takeBest, toMatch, within } from "./scores.ts";
import { lookAgain } from "./second-look.ts";
import { spread } from "./spread.ts";
import { scoreWords } from "./word-scores.ts";
import { splitQuery, splitSought } from "./words.ts";

export interface MemorySearcherOptions {
  readonly clock: Clock;
  /** What texts mean. Without it, words alone count. */
  readonly vectors?: Pick<MemoryVectors, "embedMeaning" | "catchUp" | "fault" | "embedWords">;
  /** See Database. Without it each search reads everything anew. */
  readonly changeMark?: () => Promise<string>;
}

/** How much meaning counts beside words, 0 to 1, with a model that says nothing else. .35 and .4 find alike on all sets. */
const usualWeight = 0.35;
/** The most hits of each kind of search that are weighed against each other. */
const mostWeighed = 200;
/** So many lend their words to their neighbours. */
const mostLending = 50;
/** A name that more entries have is no way to say which of them is meant. */
const mostNamesakes = 3;
/** The least share of the words of the shorter text. */
const leastAlike = 0.5;
/** The first hits, whose words and subjects are looked for again. */
const firstHits = 5;

/** Finds entries by their names, by their words, and by what they mean. */
export class MemorySearcher {
  readonly #clock: Clock;
  readonly #vectors: MemorySearcherOptions["vectors"];
  readonly #changeMark: MemorySearcherOptions["changeMark"];
  readonly #known = new KnownScopes();
  readonly #nearWords: ScopeNearWords | undefined;

  constructor({ clock, vectors, changeMark }: MemorySearcherOptions) {
    this.#changeMark = changeMark;
    this.#clock = clock;
    this.#vectors = vectors;
    this.#nearWords = vectors && new ScopeNearWords((words) => vectors.embedWords(words));
  }

  /** @throws {MemoryError} MEMORY_INVALID */
  async search(db: Kysely<Tables>, scope: string, wanted: MemorySearch): Promise<MemoryHits> {
    const search = checkedSearch(wanted);
    const now = this.#clock.now();
    const sought: Sought = { scope, filter: search, now };
    const mark = await this.#changeMark?.();
    const known = this.#known.at(mark, scope);
    const size = (known.size ??= await readScope(db, scope));
    if (size === undefined || size.entries <= 0) {
      return {
        hits: [],
        total: 0,
        by: "words",
        time: undefined,
        note: writeNote({ stored: 0, excluded: 0 }),
      };
    }
    const round = new SearchRound(db, { size, known, sought, search });
    if (search.mode === "alike") return round.runAlike();
    const time =
      search.timePhrases && !isAboutTime(search.query)
        ? findTimePhrase(search.query, search.now ?? now)
        : undefined;
    const { mode, query, signal } = search;
    const nearWords = mode === "words" ? undefined : this.#nearWords;
    const vectors = mode === "names" || mode === "words" ? undefined : this.#vectors;
    const left = await vectors?.catchUp(scope, signal, mark);
    const meaning = await vectors?.embedMeaning(query, signal, mark);
    signal?.throwIfAborted();
    const state = { mode, isCompared: meaning !== undefined, left, stored: size.entries };
    const meaningNote = vectors && writeMeaningNote({ ...state, fault: vectors.fault });
    return round.run({ meaning, nearWords, time, meaningNote });
  }
}

interface RoundOptions {
  readonly meaning: Meaning | undefined;
  /** Undefined: the question is looked for by its own words. */
  readonly nearWords: ScopeNearWords | undefined;
  readonly time: TimePhrase | undefined;
  /** What was not compared by its meaning. */
  readonly meaningNote: string | undefined;
}

interface Round {
  readonly size: SoughtScope;
  readonly known: KnownScope;
  readonly sought: Sought;
  readonly search: CheckedSearch;
}

/** One search: what was read of the entries that may be hits. */
class SearchRound {
  readonly #db: Kysely<Tables>;
  readonly #size: SoughtScope;
  readonly #known: KnownScope;
  readonly #knownCandidates: KnownCandidates;
  readonly #sought: Sought;
  readonly #search: CheckedSearch;
  readonly #candidates = new Map<number, Candidate>();
  #shares: WordShares | undefined;

  constructor(db: Kysely<Tables>, { size, known, sought, search }: Round) {
    this.#db = db;
    this.#size = size;
    this.#known = known;
    this.#knownCandidates = known.openCandidates(search);
    this.#sought = sought;
    this.#search = search;
  }

  async run({ meaning, nearWords, time, meaningNote }: RoundOptions): Promise<MemoryHits> {
    const { mode, limit, offset } = this.#search;
    const names = await this.#findNames();
    const isByWords = mode !== "names" && (mode !== "meaning" || meaning === undefined);
    const words = isByWords ? await this.#findWords(nearWords) : new Map<number, number>();
    const cosines = await this.#findMeaning(meaning, words);
    const asked = time !== undefined && asksWhatWasSaid(this.#search.query) ? time : undefined;
    const only = this.#leaveTime(asked, [...words.keys(), ...cosines.keys(), ...names.keys()]);
    const fits = (seq: number) => this.#candidates.get(seq)?.fits === 1 && only(seq);
    let fused: readonly Fused[] = fuse(
      within(words, fits),
      within(cosines, fits),
      meaning === undefined ? 0 : (meaning.weight ?? usualWeight),
    );
    if (time !== undefined && only === always) fused = await this.#weighTimes(fused, time);
    if (mode === "auto" && this.#search.hops > 0) {
      const findPlace = (seq: number) => this.#candidates.get(seq);
      fused = await lookAgain(this.#db, fused, {
        scopeId: this.#size.id,
        query: this.#search.query,
        findPlace,
        texts: this.#known.texts,
      });
    }
    const relevant = only === always ? this.#findRelevant(fused, meaning, time) : fused;
    const leftOut = fused.length - relevant.length;
    let found = this.#inOrder(relevant, within(names, fits));
    let total = found.length;
    if (mode === "auto" && this.#search.hops > 0) found = await this.#addHops(found, fits);
    if (found.length === 0 && leftOut === 0 && mode !== "names") {
      found = await this.#findKeyword(offset + limit);
      total = found.length;
    }
    total = Math.max(total, found.length);
    const hits = await this.#read(found.slice(offset, offset + limit));
    const note =
      hits.length > 0
        ? undefined
        : writeNote({ stored: this.#size.entries, excluded: this.#excluded(), mode, beyond: total, leftOut });
    const notes = [asked && noteOfOtherTimes(asked, hits), note, meaningNote].filter(
      (one) => one !== undefined,
    );
    return {
      hits,
      total,
      by: byWhat(mode, meaning !== undefined),
      time:
        only === always
          ? undefined
          : asked && { phrase: asked.phrase, since: asked.since, until: asked.until },
      note: notes.length === 0 ? undefined : notes.join("; "),
      ...(leftOut > 0 && { leftOut }),
    };
  }

  /** Those that are likely about the query, where that is asked for. */
  #findRelevant(
    fused: readonly Fused[],
    meaning: Meaning | undefined,
    time: TimePhrase | undefined,
  ): readonly Fused[] {
    if (!this.#search.onlyRelevant) return fused;
    const likeness = meaning?.likeness ?? likenessAmong(fused.flatMap(({ cosine }) => cosine ?? []));
    const computeShare = (seq: number) => this.#shares?.of(seq) ?? 0;
    const bestShare = Math.max(0, ...fused.map(({ seq }) => computeShare(seq)));
    return fused.filter(
      ({ seq, cosine }) =>
        isRelevant({ share: computeShare(seq), bestShare, cosine, likeness }) ||
        isReckoned(this.#candidates.get(seq)?.at, time),
    );
  }

  async runAlike(): Promise<MemoryHits> {
    const { query, offset, limit } = this.#search;
    const seqs =
      (await findAlike(this.#db, this.#size.id, query)) ??
      (await this.#findKeyword(mostWeighed, query.replace(/\W+$/u, ""))).map(({ seq }) => seq);
    await this.#look(seqs);
    const fitting = seqs.filter((seq) => this.#candidates.get(seq)?.fits === 1);
    const all = await this.#read(fitting.map((seq) => ({ seq, score: 0, match: "full-text" })));
    const [same, others] = [[] as MemoryHit[], [] as MemoryHit[]];
    for (const hit of all) {
      if (saysTheSame(query, hit.entry.text)) same.push({ ...hit, score: 1 });
      else others.push({ ...hit, score: compareTexts(query, hit.entry.text) });
    }
    others.sort((one, other) => other.score - one.score);
    const hits = [...same, ...others.filter(({ score }) => score >= leastAlike)];
    const note = hits.length > 0 ? undefined : "Nothing like it is remembered here";
    const total = hits.length;
    return { hits: hits.slice(offset, offset + limit), total, by: "words", time: undefined, note };
  }

  async #findNames(): Promise<ReadonlyMap<number, number>> {
    const { mode, query } = this.#search;
    if (mode === "words" || mode === "meaning" || !this.#size.hasNames) return new Map();
    const names = await findNames(this.#db, this.#size.id, query);
    await this.#look([...names.keys()]);
    return names;
  }

  async #findWords(nearWords: ScopeNearWords | undefined): Promise<ReadonlyMap<number, number>> {
    const words = splitQuery(this.#search.query);
    const { query } = this.#search;
    const forms = await findForms(this.#db, this.#size, { query, words }, this.#known);
    const sought = new Set([...splitSought(query), ...forms]);
    const near = (await nearWords?.find(this.#db, this.#size, { query, known: sought })) ?? [];
    const asked = { words: [...sought], near: near.map(({ word }) => word) };
    const found = await readPostings(this.#db, this.#size.id, asked, this.#known);
    await this.#look(found.seqs);
    const asksWhen = isAboutTime(this.#search.query);
    const score = () => {
      if (this.#search.onlyRelevant) {
        const counts = words.map((word) => found.counts.get(word) ?? 0);
        this.#shares = new WordShares(this.#size.entries, counts);
      }
      const { userTurns } = this.#search;
      const scored = { ...this.#size, asksWhen, userTurns, near, onWord: this.#shares?.add };
      return scoreWords(found, this.#candidates, scored);
    };
    const alone = score();
    const turns = new Map<number, number>();
    for (const { seq, session } of this.#candidates.values()) {
      const scored = session === null ? undefined : alone.get(seq);
      if (scored !== undefined) turns.set(seq, scored);
    }
    if (turns.size === 0) return alone;
    this.#know(await readNeighbours(this.#db, takeBest(turns, mostLending), this.#sought));
    return score();
  }

  async #findMeaning(
    meaning: Meaning | undefined,
    words: ReadonlyMap<number, number>,
  ): Promise<ReadonlyMap<number, number>> {
    if (meaning === undefined) return new Map();
    const { scope } = this.#sought;
    const nearest = await meaning.nearest(scope, {
      limit: mostWeighed,
      among: async (seqs) => {
        await this.#look(seqs);
        return new Set(seqs.filter((seq) => this.#candidates.get(seq)?.fits === 1));
      },
      signal: this.#search.signal,
    });
    await this.#look([...nearest.keys()]);
    const best = takeBest(words, mostWeighed).filter((seq) => !nearest.has(seq));
    return new Map([...nearest, ...(await meaning.cosines(best))]);
  }

  /** What a time phrase leaves; everything, where it would leave nothing. */
  #leaveTime(time: TimePhrase | undefined, seqs: readonly number[]): (seq: number) => boolean {
    if (time === undefined) return always;
    const isThen = (seq: number) => {
      const { at = Number.NaN, fits = 0 } = this.#candidates.get(seq) ?? {};
      return fits === 1 && at >= time.since && at < time.until;
    };
    return seqs.some(isThen) ? isThen : always;
  }

  async #weighTimes(fused: readonly Fused[], time: TimePhrase): Promise<readonly Fused[]> {
    const first = fused.toSorted((one, other) => other.score - one.score).slice(0, mostDated);
    const texts = await readTexts(
      this.#db,
      first.map(({ seq }) => seq),
      this.#known.texts,
    );
    return weighTimes(fused, ({ seq }) => {
      const { at = Number.NaN } = this.#candidates.get(seq) ?? {};
      return isOfTime({ at, text: texts.get(seq) ?? "" }, time);
    });
  }

  #inOrder(fused: readonly Fused[], names: ReadonlyMap<number, number>): FoundEntry[] {
    const { mode, order, offset, limit } = this.#search;
    const scores = new Map(names.size === 0 ? [] : fused.map(({ seq, score }) => [seq, score]));
    const certain = mode === "names" || names.size <= mostNamesakes ? names : new Map<number, number>();
    const named = [...certain]
      .map(([seq, length]) => ({ seq, length, score: 1, match: "name" as const }))
      .sort(
        (one, other) =>
          other.length - one.length ||
          (scores.get(other.seq) ?? 0) - (scores.get(one.seq) ?? 0) ||
          this.#newerFirst(one, other),
      );
    if (mode === "names") return this.#ordered(named, order);
    const others = fused
      .filter(({ seq }) => !certain.has(seq))
      .map(({ seq, score, words, cosine }) => ({ seq, score, match: toMatch(words, cosine) }))
      .sort((one, other) => other.score - one.score || this.#newerFirst(one, other));
    if (order === "recent") return this.#ordered([...named, ...others], order);
    const shown = offset + limit;
    const first = spread(others.slice(0, shown * 3), (seq) => this.#candidates.get(seq), shown);
    const taken = new Set(first);
    return [...named, ...first, ...others.filter((item) => !taken.has(item))];
  }

  #ordered(found: FoundEntry[], order: MemorySearch["order"]): FoundEntry[] {
    return order === "recent" ? found.toSorted((one, other) => this.#newerFirst(one, other)) : found;
  }

  #newerFirst(one: { readonly seq: number }, other: { readonly seq: number }): number {
    const at = ({ seq }: { readonly seq: number }) => this.#candidates.get(seq)?.at ?? 0;
    return at(other) - at(one) || other.seq - one.seq;
  }

  /** What else is said of what the first hits speak of comes in the last fifth of a page. */
  async #addHops(found: readonly FoundEntry[], fits: (seq: number) => boolean): Promise<FoundEntry[]> {
    const { limit, offset } = this.#search;
    const first = new Map(found.slice(0, firstHits).map(({ seq, score }) => [seq, score]));
    if (offset > 0 || first.size === 0 || !this.#size.hasGraph) return [...found];
    const hops = await hop(this.#db, this.#sought.scope, first);
    await this.#look([...hops.keys()]);
    const kept = Math.max(1, limit - Math.max(1, Math.floor(limit / 5)));
    const shown = new Set(found.slice(0, kept).map(({ seq }) => seq));
    const best = [...hops]
      .filter(([seq]) => fits(seq) && !shown.has(seq))
      .sort(([, one], [, other]) => other - one)
      .slice(0, limit - kept);
    if (best.length === 0) return [...found];
    const last = found[Math.min(kept, found.length) - 1]?.score ?? 1;
    const most = Math.max(...best.map(([, score]) => score));
    const linked = best.map(([seq, score]) => ({
      seq,
      score: (last * score) / most,
      match: "graph" as const,
    }));
    const added = new Set(linked.map(({ seq }) => seq));
    return [...found.slice(0, kept), ...linked, ...found.slice(kept).filter(({ seq }) => !added.has(seq))];
  }

  async #findKeyword(limit: number, query = this.#search.query): Promise<FoundEntry[]> {
    if (query.trim().length < 2) return [];
    const found = await readKeywordHits(this.#db, query, { ...this.#sought, limit });
    this.#know(found);
    return found.map(({ seq }) => ({ seq, score: 1, match: "keyword" }));
  }

  async #look(seqs: readonly number[]): Promise<void> {
    const unknown = this.#candidates.size === 0 ? seqs : seqs.filter((seq) => !this.#candidates.has(seq));
    if (unknown.length === 0) return;
    this.#know(await readCandidates(this.#db, unknown, this.#sought, this.#knownCandidates));
  }

  #know(candidates: readonly Candidate[]): void {
    for (const candidate of candidates) this.#candidates.set(candidate.seq, candidate);
  }

  #read(found: readonly FoundEntry[]): Promise<MemoryHit[]> {
    return readHits(this.#db, found, {
      scope: this.#sought.scope,
      window: this.#search.window,
      known: this.#known.entries,
    });
  }

  #excluded(): number {
    return [...this.#candidates.values()].filter(({ fits }) => fits === 0).length;
  }
}

const always = (): boolean => true;

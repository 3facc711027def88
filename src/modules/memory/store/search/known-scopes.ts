import { RecentMap } from "../../../../base/index.ts";
import type { MemoryEntry } from "../memory-entry.ts";
import type { MemoryFilter } from "../memory-store.ts";
import { type KnownCandidates, type SoughtScope, toKey } from "./candidates.ts";
import type { Vocabulary } from "./other-forms.ts";
import type { Posting } from "./word-scores.ts";

/** Scopes of which something is kept. */
const mostScopes = 16;
/** Filters of one scope whose candidates are kept. */
const mostFilters = 8;
/** The most that is kept; if it is more, all of it goes. */
const mostBytes = 64 * 2 ** 20;
/** So many searches come between two looks at how much that is. */
const searchesBetween = 32;

/** What searches have read of one scope, as long as nothing has changed. */
export class KnownScope {
  /** Undefined: not read. */
  size: SoughtScope | undefined;
  /** Undefined: not read. */
  vocabulary: Vocabulary | undefined;
  /** The number of entries that each word is in, as far as they are counted. */
  readonly counts: Map<string, number> = new Map();
  /** All entries that a word finds. */
  readonly postings: Map<string, readonly Posting[]> = new Map();
  /** Which entries have a word that is too frequent to find by itself, as far as that was asked; undefined: it has not. */
  readonly frequent: Map<string, Map<number, Posting | undefined>> = new Map();
  /** The beginnings of texts, by row number. */
  readonly texts: Map<number, string> = new Map();
  /** The entries by row number. */
  readonly entries: Map<number, MemoryEntry> = new Map();
  readonly #candidates = new RecentMap<string, KnownCandidates>(mostFilters);

  openCandidates(filter: MemoryFilter): KnownCandidates {
    const key = toKey(filter);
    const known = this.#candidates.get(key) ?? new Map();
    this.#candidates.set(key, known);
    return known;
  }

  /** Roughly how much is kept, in bytes. */
  get bytes(): number {
    let chars = 0;
    for (const text of this.texts.values()) chars += text.length;
    for (const { text } of this.entries.values()) chars += text.length;
    let rows = this.counts.size + this.texts.size + 10 * this.entries.size;
    for (const postings of this.postings.values()) rows += postings.length;
    for (const asked of this.frequent.values()) rows += asked.size;
    for (const candidates of this.#candidates.values()) rows += candidates.size;
    return 2 * chars + 64 * rows;
  }
}

/**
 * What searches have read of the scopes that were searched last. Everything goes as soon as the database has changed,
 * whoever changed it.
 */
export class KnownScopes {
  readonly #scopes = new RecentMap<string, KnownScope>(mostScopes);
  #mark: string | undefined;
  #searches = 0;

  /** @param mark of the database as it is now; undefined: nothing is kept */
  at(mark: string | undefined, scope: string): KnownScope {
    const isFull = ++this.#searches % searchesBetween === 0 && this.#bytes() > mostBytes;
    if (mark === undefined || mark !== this.#mark || isFull) this.#scopes.clear();
    this.#mark = mark;
    let known = this.#scopes.get(scope);
    this.#scopes.set(scope, (known ??= new KnownScope()));
    return known;
  }

  #bytes(): number {
    return [...this.#scopes.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }
}

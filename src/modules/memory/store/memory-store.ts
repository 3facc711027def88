import type { Trust } from "../../../kernel/index.ts";
import type {
  MemoryAuthor,
  MemoryEntry,
  MemoryFacts,
  MemoryKind,
  MemoryPermission,
  MemoryShare,
  MemoryTier,
  MemoryVersion,
  NewMemoryEntry,
} from "./memory-entry.ts";

/** An entry that is there, and optionally the revision that the edit is made for. */
export interface EditedEntry {
  readonly id: string;
  /** Absent: whichever it has. */
  readonly revision?: number;
}

/** What is said anew of an entry. */
export interface ToldEntry extends EditedEntry {
  /** The trust of the whole entry from then on. @default as it was */
  readonly trust?: Trust;
}

/** What an entry that is brought from elsewhere keeps of what it was there. */
export interface FormerEntry {
  /** @default one of its own */
  readonly id?: string;
  /** @default who makes the edit */
  readonly author?: MemoryAuthor;
  /** Unix ms. @default now */
  readonly createdAt?: number;
  readonly changedAt?: number;
  readonly deletedAt?: number;
}

/** One change of memory. An entry is called a block here, as models know it. */
export type MemoryEdit =
  | {
      readonly do: "create_block";
      readonly entry: NewMemoryEntry;
      /** Ids of the entries that this one was made of. @default those of the author */
      readonly sources?: readonly string[];
      /** Its `supersededBy` may name an entry that is not there yet. */
      readonly was?: FormerEntry;
    }
  | ({ readonly do: "update_block_text"; readonly text: string } & ToldEntry)
  /** On a line of its own. */
  | ({ readonly do: "append_to_block"; readonly text: string } & ToldEntry)
  /** Sets the facts that are named; null takes one away. */
  | ({ readonly do: "set_block_facts"; readonly facts: ChangedFacts } & ToldEntry)
  /** It can be restored, and its label is free meanwhile. */
  | ({ readonly do: "delete_block" } & EditedEntry)
  | ({ readonly do: "restore_block" } & EditedEntry)
  | ({ readonly do: "undo_block" } & EditedEntry)
  | ({ readonly do: "redo_block" } & EditedEntry)
  | ({
      readonly do: "share_block";
      readonly with: string;
      readonly permission: MemoryPermission;
    } & EditedEntry)
  | ({ readonly do: "unshare_block"; readonly with: string } & EditedEntry)
  /**
   * Erases an entry for good, with its history: only what is derived from elsewhere, or what its owner wants
   * gone.
   */
  | ({ readonly do: "erase_block" } & EditedEntry);

/** Facts to be changed: null removes one, and what is absent stays. */
export type ChangedFacts = { readonly [Fact in keyof MemoryFacts]?: MemoryFacts[Fact] | null };

/** Which entries are meant. All that is said has to hold; a list means any of it. */
export interface MemoryFilter {
  readonly kinds?: readonly MemoryKind[];
  readonly exceptKinds?: readonly MemoryKind[];
  readonly tiers?: readonly MemoryTier[];
  /** Those that have all of these. */
  readonly tags?: readonly string[];
  readonly category?: string;
  readonly trust?: Trust;
  readonly labelPrefix?: string;
  readonly session?: string;
  /** Those that stand further on in their session than this. */
  readonly afterPosition?: number;
  readonly speaker?: string;
  readonly role?: string;
  readonly channel?: string;
  /** Unix ms, of `at`: from, and until just before. */
  readonly since?: number;
  readonly until?: number;
  readonly pinned?: boolean;
  /** What is passed over otherwise: deleted, superseded by a newer one, or not valid now. */
  readonly with?: readonly ("deleted" | "superseded" | "invalid")[];
  /** Unix ms. Those that were valid then. @default now */
  readonly validAt?: number;
  /** `own`: none that others shared; `shared`: those alone. @default both */
  readonly owned?: "own" | "shared";
}

/** Which entries to list, and in what order. */
export interface MemoryListing extends MemoryFilter {
  /**
   * The order; `label` and `position` list those entries that have one. @default "newest" (by `changedAt`)
   */
  readonly order?: "newest" | "oldest" | "label" | "position";
  /** 1 to 1,000. @default 50 */
  readonly limit?: number;
  /** `next` of the page before. */
  readonly after?: string;
}

/** Entries of a list, a page at a time. */
export interface MemoryPage {
  readonly entries: readonly MemoryEntry[];
  /** The number of all entries that are meant; an engine may stop counting at 10,000. */
  readonly total: number;
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

/** What to search for, and where. */
export interface MemorySearch extends MemoryFilter {
  /** The query, as a person says it. */
  readonly query: string;
  /** 1 to 100. @default 10 */
  readonly limit?: number;
  /** @default 0 */
  readonly offset?: number;
  /** `recent`: the newest first of those that match. @default "relevance" */
  readonly order?: "relevance" | "recent";
  /**
   * `names`: only entries that the query names, for what goes into a prompt by itself. `words` and `meaning` leave one
   * of the two out. `alike`: only entries that have much in common with the query, which is a text: a score is the share
   * of words, of the shorter of both; those of scripts without spaces count by their characters. @default "auto"
   */
  readonly mode?: "auto" | "names" | "words" | "meaning" | "alike";
  /** Neighbours of a hit in its session, on each side, to be read with it. 0 to 5. @default 0 */
  readonly window?: number;
  /**
   * Whether a phrase such as "last week" or "in May" counts: what was said then, or tells a date of then, comes before
   * the rest; "what did I tell you last week" leaves only what was said then. @default true
   */
  readonly timePhrases?: boolean;
  /** Unix ms: what "last week" is reckoned from. @default now */
  readonly now?: number;
  /** 1 looks again, for what the first hits speak of. @default 1 */
  readonly hops?: number;
  /**
   * How much more a turn of the user counts than the others of its conversation: above 0, up to 10. Most of what is
   * asked for later was said by the user. @default 1.5
   */
  readonly userTurns?: number;
  /**
   * Leaves out what is likely not about the query: entries that share only common words with it, or are only loosely like
   * it. What was said at a time such as "yesterday" that the query speaks of stays. @default false
   */
  readonly onlyRelevant?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * What found it. `name`: the query says its name. `full-text`: by its words. `embedding`: by its meaning. `graph`: it
 * is about something that better hits name. `keyword`: by a stretch of characters, where nothing else found any.
 */
export const memoryMatches = [
  "name",
  "full-text",
  "embedding",
  "full-text and embedding",
  "graph",
  "keyword",
] as const;

/** One of {@link memoryMatches}. */
export type MemoryMatch = (typeof memoryMatches)[number];

/** An entry that was found. */
export interface MemoryHit {
  readonly entry: MemoryEntry;
  /** 0 to 1, within this search alone. */
  readonly score: number;
  readonly match: MemoryMatch;
  /** Its neighbours in its session, in their order. */
  readonly before: readonly MemoryEntry[];
  readonly after: readonly MemoryEntry[];
}

/** The result of a search. */
export interface MemoryHits {
  readonly hits: readonly MemoryHit[];
  /** The number of all entries that matched. */
  readonly total: number;
  /** How many `onlyRelevant` left out. @default 0 */
  readonly leftOut?: number;
  readonly by: "names" | "words" | "meaning" | "words and meaning";
  /** The time that a phrase of the query was read as, where only what was said then is left. Unix ms. */
  readonly time: { readonly phrase: string; readonly since: number; readonly until: number } | undefined;
  /** A sentence that says why nothing was found, or why only words were used. */
  readonly note: string | undefined;
}

/**
 * The store of memory. It keeps scopes apart and changes whole, and asks nobody: who may change what is decided by
 * {@link Memory}, which is written once over it. A store of your own is proved by `memoryCases` of `haft/testing`.
 *
 * An entry that another scope shared is found under that scope's id like one of one's own; by its label, where there is
 * none of one's own with it.
 */
export interface MemoryStore {
  /**
   * Makes all of the changes or none, in their order; resolves with the entries as they are then, one a change, once
   * they survive a kill -9. A revision is that of before the first of them. What is so already is no change. An `id`,
   * and `supersededBy`, may be `"#0"`, `"#1"`, …: the entry of that change among these.
   *
   * @throws {MemoryError} MEMORY_NOT_FOUND; MEMORY_CHANGED where an entry has another revision; MEMORY_LABEL_TAKEN;
   * MEMORY_LABEL; MEMORY_TOO_LONG; MEMORY_NOTHING_TO_UNDO; MEMORY_NOT_OWNER for what only its owner's scope may change
   * (shares, facts, deleting, undoing). {@link StoreError} of the database.
   */
  edit(scope: string, edits: readonly MemoryEdit[], author: MemoryAuthor): Promise<readonly MemoryEntry[]>;
  /** Gets an entry by id or label. A deleted one is found only by its id, and for its owner alone. */
  get(scope: string, key: string): Promise<MemoryEntry | undefined>;
  /** What the scope has and what others share with it, a page at a time. */
  list(scope: string, listing?: MemoryListing): Promise<MemoryPage>;
  /** What the scope has and what others share with it, found by names, words and, where there is a model, meaning. */
  search(scope: string, search: MemorySearch): Promise<MemoryHits>;
  /**
   * The versions of an entry of one's own, the newest first; also those that were taken back. The oldest of
   * very many may be gone.
   */
  history(scope: string, id: string): Promise<readonly MemoryVersion[]>;
  /** Who else has the entry: its owner is told all, another its own share. */
  shares(scope: string, id: string): Promise<readonly MemoryShare[]>;
  /** Resolves once what was written before survives the loss of power. */
  persist(): Promise<void>;
}

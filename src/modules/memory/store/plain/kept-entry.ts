import { randomId } from "../../../../db/index.ts";
import { stricterPermission } from "../access.ts";
import type {
  MemoryAuthor,
  MemoryEntry,
  MemoryFacts,
  MemoryShare,
  MemoryVersion,
  NewMemoryEntry,
} from "../memory-entry.ts";
import type { FormerEntry } from "../memory-store.ts";

/** An entry as a store of your own may keep it, as JSON. What it was is kept beside it, as a {@link KeptVersion} each. */
export interface KeptEntry {
  /** Grows from entry to entry: tells those of one millisecond apart. */
  readonly seq: number;
  readonly entry: Omit<MemoryEntry, "undoDepth" | "redoDepth">;
  readonly shares: readonly MemoryShare[];
  /** Numbers of versions: the one that is in force, the newest, those that undo goes to and those that redo does. */
  readonly version: number;
  readonly newest: number;
  readonly past: readonly number[];
  readonly future: readonly number[];
}

/** A former version of an entry, as a store keeps it. */
export interface KeptVersion extends Omit<MemoryVersion, "current" | "deleted"> {
  readonly deletedAt: number | undefined;
}

/** The oldest go. */
const mostVersions = 200;

type Facts = Pick<MemoryEntry, keyof MemoryFacts>;
type SaidFacts = { readonly [Fact in keyof Facts]?: Facts[Fact] | null | undefined };

const noFacts: Facts = {
  label: undefined,
  tier: "archival",
  title: undefined,
  names: [],
  category: undefined,
  tags: [],
  permission: "read_write",
  pinned: false,
  validFrom: undefined,
  validTo: undefined,
  supersededBy: undefined,
};

/** All of them, with what holds of those that are not said. */
export function toFacts(said: SaidFacts): Facts {
  const facts = Object.entries(noFacts).map(([name, none]) => [name, said[name as keyof Facts] ?? none]);
  return Object.fromEntries(facts) as Facts;
}

/** What JSON leaves out. */
const unsaid = { ...noFacts, place: undefined, deletedAt: undefined };

export function toEntry(kept: KeptEntry): MemoryEntry {
  const { past, future, entry } = kept;
  return { ...unsaid, ...entry, undoDepth: past.length, redoDepth: future.length };
}

/**
 * The entry as the scope sees it: its own, deleted or not, or one that is shared with it. Undefined where it
 * sees none.
 *
 * @example
 * ```ts
 * const author = { by: "owner:ada" };
 * const kept = keepEntry({ kind: "memory", text: "Buy milk." }, { seq: 1, scope: "local", author, at: 0 });
 * seenBy("local", kept)?.text; // → "Buy milk."
 * seenBy("team", kept); // → undefined
 * ```
 */
export function seenBy(scope: string, kept: KeptEntry | undefined): MemoryEntry | undefined {
  const entry = kept && toEntry(kept);
  if (entry === undefined || entry.scope === scope) return entry;
  const share = kept?.shares.find((each) => each.scope === scope);
  if (share === undefined || entry.deletedAt !== undefined) return undefined;
  return { ...entry, permission: stricterPermission(entry.permission, share.permission) };
}

/** The place, time and author of an entry that is made. */
export interface Keeping {
  readonly seq: number;
  readonly scope: string;
  readonly author: MemoryAuthor;
  /** Unix ms: now. */
  readonly at: number;
  readonly was?: FormerEntry | undefined;
}

/**
 * Makes the record of a new entry, for a store of your own. `said` has gone through {@link EntryChecks.entry}, and has
 * a position if it has a place.
 *
 * @example
 * ```ts
 * const kept = keepEntry(
 *   { kind: "memory", text: "Ada likes tea." },
 *   { seq: 1, scope: "local", author: { by: "owner:ada" }, at: 0 },
 * );
 * kept.entry.text; // → "Ada likes tea."
 * kept.version; // → 1
 * ```
 */
export function keepEntry(said: NewMemoryEntry, { seq, scope, author, at, was = {} }: Keeping): KeptEntry {
  const { place } = said;
  const { id = randomId("m", 16), createdAt = at, changedAt = at, deletedAt } = was;
  const entry: KeptEntry["entry"] = {
    ...toFacts(said),
    id,
    scope,
    kind: said.kind,
    text: said.text,
    trust: said.trust ?? "trusted",
    place: place && { ...place, position: place.position ?? 1 },
    at: said.at ?? at,
    author,
    createdAt,
    changedAt,
    deletedAt,
    revision: 1,
  };
  return { seq, entry, shares: [], version: 1, newest: 1, past: [], future: [] };
}

/**
 * Makes the record of an entry's present version. Keep one whenever `newest` has grown.
 *
 * @example
 * ```ts
 * const author = { by: "owner:ada" };
 * const kept = keepEntry({ kind: "memory", text: "Buy milk." }, { seq: 1, scope: "local", author, at: 0 });
 * const { version, change } = makeKeptVersion(kept, author, "create_block");
 * [version, change]; // → [1, "create_block"]
 * ```
 */
export function makeKeptVersion(kept: KeptEntry, author: MemoryAuthor, change: string): KeptVersion {
  const { text, trust, changedAt: at, deletedAt } = kept.entry;
  const facts = toFacts(kept.entry) as MemoryFacts;
  return { version: kept.version, at, author, change, text, facts, trust, deletedAt };
}

/**
 * Lists the numbers of the versions to keep, 200 at most, the newest first. Older ones may be deleted.
 *
 * @example
 * ```ts
 * const author = { by: "owner:ada" };
 * const kept = keepEntry({ kind: "memory", text: "Buy milk." }, { seq: 1, scope: "local", author, at: 0 });
 * keptVersionNumbers({ ...kept, newest: 3 }); // → [3, 2, 1]
 * ```
 */
export function keptVersionNumbers({ newest }: KeptEntry): readonly number[] {
  return Array.from({ length: Math.min(newest, mostVersions) }, (_, index) => newest - index);
}

/**
 * The versions of an entry as callers read them: in the order of `versions`, with the one that is current marked.
 *
 * @example
 * ```ts
 * const author = { by: "owner:ada" };
 * const kept = keepEntry({ kind: "memory", text: "Buy milk." }, { seq: 1, scope: "local", author, at: 0 });
 * const history = listHistory(kept, [makeKeptVersion(kept, author, "create_block")]);
 * history.map(({ version, current }) => [version, current]); // → [[1, true]]
 * ```
 */
export function listHistory(kept: KeptEntry, versions: readonly KeptVersion[]): readonly MemoryVersion[] {
  return versions.map(({ deletedAt, ...version }) => ({
    ...version,
    deleted: deletedAt !== undefined,
    current: version.version === kept.version,
  }));
}

import { isDeepStrictEqual } from "node:util";
import { checkSharedWith, type EntryChecks, invalid } from "../entries/checked-entry.ts";
import { entryDeleted, entryNotFound, nothingTo, notOwner } from "../entries/refusals.ts";
import type { MemoryEntry, MemoryShare } from "../memory-entry.ts";
import type { MemoryEdit } from "../memory-store.ts";
import {
  type KeptEntry,
  type KeptVersion,
  keptVersionNumbers,
  seenBy,
  toEntry,
  toFacts,
} from "./kept-entry.ts";

/** An edit of an entry that is there. */
export type ChangingEdit = Exclude<MemoryEdit, { do: "create_block" }>;

type Sharing = Extract<ChangingEdit, { do: "share_block" | "unshare_block" }>;

/** What {@link applyEdit} needs to know of an edit. */
export interface ApplyOptions {
  /** The scope whose edit it is. */
  readonly scope: string;
  /** Unix ms. */
  readonly at: number;
  readonly checks: EntryChecks;
  readonly readVersion: (version: number) => Promise<KeptVersion>;
}

type Changes = Partial<KeptEntry["entry"]>;

/** Those that whoever has the entry may make, and those that are made of what was deleted. */
const ofText: readonly string[] = ["update_block_text", "append_to_block"];
const ofDeleted: readonly string[] = ["restore_block", "undo_block", "redo_block", "erase_block"];

/**
 * Applies an edit to an entry. Gives `kept` itself where nothing changes, and undefined where the edit erases it.
 * Whoever calls checks the revision, and that the label is free.
 *
 * @throws {MemoryError} MEMORY_NOT_FOUND, MEMORY_NOT_OWNER, MEMORY_NOTHING_TO_UNDO, MEMORY_LABEL, MEMORY_TOO_LONG,
 * MEMORY_INVALID
 *
 * @example
 * ```ts
 * const author = { by: "owner:ada" };
 * const kept = keepEntry({ kind: "memory", text: "Buy milk." }, { seq: 1, scope: "local", author, at: 0 });
 * const versions = [makeKeptVersion(kept, author, "create_block")];
 * const changed = await applyEdit(
 *   kept,
 *   { do: "append_to_block", id: kept.entry.id, text: "Call Bob." },
 *   {
 *     scope: "local",
 *     at: 1,
 *     checks: new EntryChecks(undefined),
 *     readVersion: async (number) => versions[number - 1] as KeptVersion,
 *   },
 * );
 * changed?.entry.text; // → "Buy milk.\nCall Bob."
 * ```
 */
export async function applyEdit(
  kept: KeptEntry,
  edit: ChangingEdit,
  { scope, at, checks, readVersion }: ApplyOptions,
): Promise<KeptEntry | undefined> {
  const { entry } = kept;
  if (seenBy(scope, kept) === undefined) throw entryNotFound(edit.id);
  if (entry.scope !== scope && !ofText.includes(edit.do)) throw notOwner(entry);
  if (entry.deletedAt !== undefined && !ofDeleted.includes(edit.do)) throw entryDeleted(entry);
  switch (edit.do) {
    case "update_block_text":
      return changed(kept, { text: checks.text(edit.text), trust: edit.trust ?? entry.trust }, at);
    case "append_to_block": {
      const text = checks.appended(entry.text, edit.text);
      return changed(kept, { text, trust: edit.trust ?? entry.trust }, at);
    }
    case "set_block_facts": {
      const facts = toFacts({ ...entry, ...checks.facts(edit.facts, entry) });
      if (facts.supersededBy === entry.id) throw invalid("supersededBy", "an entry can't take its own place");
      return changed(kept, { ...facts, trust: edit.trust ?? entry.trust }, at);
    }
    case "delete_block":
      return changed(kept, { deletedAt: at }, at);
    case "restore_block":
      return changed(kept, { deletedAt: undefined }, at);
    case "undo_block":
    case "redo_block": {
      const to = (edit.do === "undo_block" ? kept.past : kept.future).at(-1);
      if (to === undefined) throw nothingTo(edit.do, entry);
      return stepped(kept, await readVersion(to), at);
    }
    case "share_block":
    case "unshare_block":
      return reshared(kept, edit, at);
    case "erase_block":
      return undefined;
    default:
      return edit satisfies never;
  }
}

/** The entry as another version. */
function changed(kept: KeptEntry, to: Changes, at: number): KeptEntry {
  const before: Partial<MemoryEntry> = toEntry(kept);
  if (isDeepStrictEqual(before, { ...before, ...to })) return kept;
  const next = { ...kept, version: kept.newest + 1, newest: kept.newest + 1, future: [] };
  const there = new Set(keptVersionNumbers(next));
  const past = [...kept.past, kept.version].filter((version) => there.has(version));
  return revised({ ...next, past }, { ...to, changedAt: at });
}

/** The entry as it was in that version: the last of the past, or else of the future. */
function stepped(kept: KeptEntry, to: KeptVersion, at: number): KeptEntry {
  const { version, text, trust, facts, deletedAt } = to;
  const isUndo = kept.past.at(-1) === version;
  const past = isUndo ? kept.past.slice(0, -1) : [...kept.past, kept.version];
  const future = isUndo ? [...kept.future, kept.version] : kept.future.slice(0, -1);
  const entry = { ...toFacts(facts), text, trust, deletedAt, changedAt: at };
  return revised({ ...kept, version, past, future }, entry);
}

/** Who has it is no part of what it says: it stays the same version. */
function reshared(kept: KeptEntry, edit: Sharing, at: number): KeptEntry {
  const { id: entryId, scope: owner } = kept.entry;
  const { with: scope } = edit;
  const before = kept.shares.find((share) => share.scope === scope);
  const others = kept.shares.filter((share) => share !== before);
  if (edit.do === "unshare_block")
    return before === undefined ? kept : revised({ ...kept, shares: others }, {});
  checkSharedWith(scope, owner);
  const { permission } = edit;
  if (before?.permission === permission) return kept;
  const share: MemoryShare = { entryId, owner, scope, permission, sharedAt: before?.sharedAt ?? at };
  return revised({ ...kept, shares: [...others, share] }, {});
}

function revised(kept: KeptEntry, to: Changes): KeptEntry {
  return { ...kept, entry: { ...kept.entry, ...to, revision: kept.entry.revision + 1 } };
}

import type { Generated } from "kysely";
import type { Trust } from "../../../../kernel/index.ts";
import type { MemoryPermission, MemoryTier } from "../memory-entry.ts";

export interface MemoryEntryTable extends Omit<MemoryEntryRow, "seq"> {
  readonly seq: Generated<number>;
}

/** An entry as it is now. */
export interface MemoryEntryRow {
  readonly seq: number;
  readonly id: string;
  readonly scope: string;
  readonly kind: string;
  readonly label: string | null;
  readonly tier: MemoryTier;
  readonly category: string | null;
  readonly permission: MemoryPermission;
  readonly pinned: number;
  readonly trust: Trust;
  readonly session: string | null;
  readonly position: number | null;
  readonly speaker: string | null;
  readonly role: string | null;
  readonly channel: string | null;
  readonly at: number;
  readonly valid_from: number | null;
  readonly valid_to: number | null;
  readonly superseded_by: string | null;
  readonly created_at: number;
  readonly changed_at: number;
  readonly deleted_at: number | null;
  readonly revision: number;
  /** The version that it is, and the last that was made: the two differ once something was undone. */
  readonly version: number;
  readonly last_version: number;
  /** How many versions led to this one; those that were pruned since, too. */
  readonly depth: number;
  readonly undo_depth: number;
  readonly redo_depth: number;
  /** What made it this version. */
  readonly change: string;
  /** Who made the entry: JSON. */
  readonly author: string;
  /** Who made it this version, where that is another: JSON. */
  readonly changed_by: string | null;
  readonly title: string | null;
  /** Each between line feeds. */
  readonly tags: string | null;
  readonly names: string | null;
  readonly text: string;
}

/** What an entry was. It is written when the entry becomes another version. */
export interface MemoryVersionRow {
  readonly entry_seq: number;
  readonly version: number;
  readonly depth: number;
  readonly chars: number;
  readonly at: number;
  readonly change: string;
  /** JSON. */
  readonly author: string;
  readonly trust: Trust;
  readonly deleted_at: number | null;
  /** JSON. */
  readonly facts: string;
  readonly text: string;
}

export interface MemoryShareRow {
  readonly scope: string;
  readonly entry_seq: number;
  readonly permission: MemoryPermission;
  readonly shared_at: number;
}

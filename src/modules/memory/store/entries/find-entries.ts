import type { Kysely } from "kysely";
import { filledUp, prepared } from "../../../../db/index.ts";
import type { MemoryEntry, MemoryPermission } from "../memory-entry.ts";
import type { Tables } from "../tables.ts";
import { toEntry } from "./entry-row.ts";
import type { MemoryEntryRow } from "./entry-tables.ts";

/** An entry as a scope sees it: `shared` where it is another's. */
export interface SeenRow {
  readonly row: MemoryEntryRow;
  readonly shared: MemoryPermission | undefined;
}

const rowsAtOnce = 500;

/** Finds an entry by its id: the scope's own, deleted or not, or one that is shared with it. */
export async function findById(db: Kysely<Tables>, scope: string, id: string): Promise<SeenRow | undefined> {
  const row = await db.selectFrom("memory_entry").selectAll().where("id", "=", id).executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.scope === scope) return { row, shared: undefined };
  if (row.deleted_at !== null) return undefined;
  const share = await db
    .selectFrom("memory_share")
    .select("permission")
    .where("scope", "=", scope)
    .where("entry_seq", "=", row.seq)
    .executeTakeFirst();
  return share && { row, shared: share.permission };
}

/** Finds an entry by its label: the scope's own; otherwise the one that was shared with it first. */
export async function findByLabel(
  db: Kysely<Tables>,
  scope: string,
  label: string,
): Promise<SeenRow | undefined> {
  const row = await db
    .selectFrom("memory_entry")
    .selectAll()
    .where("scope", "=", scope)
    .where("label", "=", label)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (row !== undefined) return { row, shared: undefined };
  const shared = await db
    .selectFrom("memory_share")
    .innerJoin("memory_entry", "memory_entry.seq", "memory_share.entry_seq")
    .selectAll("memory_entry")
    .select("memory_share.permission as share_permission")
    .where("memory_share.scope", "=", scope)
    .where("memory_entry.label", "=", label)
    .where("memory_entry.deleted_at", "is", null)
    .orderBy("memory_share.shared_at")
    .orderBy("memory_entry.seq")
    .executeTakeFirst();
  return shared && { row: shared, shared: shared.share_permission };
}

/**
 * Entries by the numbers of their rows, in that order; those that are not in the scope are left out. Those that were
 * read before are in `found`, which is added to.
 */
export async function readEntries(
  db: Kysely<Tables>,
  scope: string,
  seqs: readonly number[],
  found: Map<number, MemoryEntry> = new Map(),
): Promise<readonly MemoryEntry[]> {
  const unknown = seqs.filter((seq) => !found.has(seq));
  for (let start = 0; start < unknown.length; start += rowsAtOnce) {
    const asked = filledUp(unknown.slice(start, start + rowsAtOnce), step, -1);
    const rows = await readRows(db, asked.length, [scope, ...asked]);
    for (const row of rows) {
      const shared = row.share_permission;
      if (row.scope === scope) found.set(row.seq, toEntry(row, undefined));
      else if (shared !== null && row.deleted_at === null) found.set(row.seq, toEntry(row, shared));
    }
  }
  return seqs.flatMap((seq) => copy(found.get(seq)) ?? []);
}

/** A copy, so that a caller's changes do not show up in later results. */
function copy(entry: MemoryEntry | undefined): MemoryEntry | undefined {
  return entry && { ...entry, names: [...entry.names], tags: [...entry.tags] };
}

/** Entries are asked for in multiples of so many. */
const step = 10;

const readRows = prepared((db: Kysely<Tables>, size) =>
  db
    .selectFrom("memory_entry")
    .leftJoin("memory_share", (join) =>
      join.onRef("memory_share.entry_seq", "=", "memory_entry.seq").on("memory_share.scope", "=", ""),
    )
    .selectAll("memory_entry")
    .select("memory_share.permission as share_permission")
    .where(
      "memory_entry.seq",
      "in",
      Array.from({ length: size }, () => 0),
    ),
);

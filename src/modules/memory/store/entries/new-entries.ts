import type { Kysely, Transaction } from "kysely";
import { prepared, randomId, splitParts } from "../../../../db/index.ts";
import type { NewMemoryEntry } from "../memory-entry.ts";
import type { FormerEntry } from "../memory-store.ts";
import type { Tables } from "../tables.ts";
import { toFactColumns } from "./entry-row.ts";
import type { MemoryEntryRow } from "./entry-tables.ts";

export type NewRow = Omit<MemoryEntryRow, "seq">;

export interface Creation {
  readonly scope: string;
  readonly at: number;
  /** JSON. */
  readonly author: string;
}

/** `entry` is checked, and has a position where it has a place. */
export function newRow(
  entry: NewMemoryEntry,
  { scope, at, author }: Creation,
  was: Omit<FormerEntry, "author"> = {},
): NewRow {
  const { place } = entry;
  return {
    id: was.id ?? randomId("m", 16),
    scope,
    kind: entry.kind,
    ...toFactColumns(entry),
    trust: entry.trust ?? "trusted",
    session: place?.session ?? null,
    position: place?.position ?? null,
    speaker: place?.speaker ?? null,
    role: place?.role ?? null,
    channel: place?.channel ?? null,
    at: entry.at ?? at,
    created_at: was.createdAt ?? at,
    changed_at: was.changedAt ?? at,
    deleted_at: was.deletedAt ?? null,
    revision: 1,
    version: 1,
    last_version: 1,
    depth: 0,
    undo_depth: 0,
    redo_depth: 0,
    change: "create_block",
    author,
    changed_by: null,
    text: entry.text,
  };
}

export async function insertRows(
  tx: Transaction<Tables>,
  rows: readonly NewRow[],
): Promise<readonly MemoryEntryRow[]> {
  const seqs = new Map<string, number>();
  for (const some of splitParts(rows)) {
    const values = some.flatMap((row) => columns.map((column) => row[column]));
    for (const { id, seq } of await insertNew(tx, some.length, values)) seqs.set(id, seq);
  }
  return rows.map((row) => ({ ...row, seq: seqs.get(row.id) as number }));
}

const blank = newRow({ kind: "", text: "" }, { scope: "", at: 0, author: "" });
const columns = Object.keys(blank) as (keyof NewRow)[];

const insertNew = prepared((db: Kysely<Tables>, size) =>
  db
    .insertInto("memory_entry")
    .values(Array.from({ length: size }, () => blank))
    .returning(["id", "seq"]),
);

/** The position after the last of the session. */
export async function nextPosition(tx: Transaction<Tables>, scope: string, session: string): Promise<number> {
  const { last } = await tx
    .selectFrom("memory_entry")
    .select((eb) => eb.fn.max("position").as("last"))
    .where("scope", "=", scope)
    .where("session", "=", session)
    .executeTakeFirstOrThrow();
  return last === null ? 1 : Number(last) + 1;
}

import type { Kysely, Transaction } from "kysely";
import type { MemoryAuthor, MemoryFacts, MemoryVersion } from "../memory-entry.ts";
import type { Tables } from "../tables.ts";
import { toFactColumns, toFacts } from "./entry-row.ts";
import type { MemoryEntryRow } from "./entry-tables.ts";
import { nothingTo } from "./refusals.ts";

/**
 * The most former versions of an entry that are kept; of long texts as many as have these characters
 * together.
 */
const maxVersions = 200;
const maxVersionChars = 20_000_000;

/** Keeps what the entry is: it becomes another version. */
async function keepVersion(tx: Transaction<Tables>, row: MemoryEntryRow): Promise<void> {
  await tx
    .insertInto("memory_version")
    .values({
      entry_seq: row.seq,
      version: row.version,
      depth: row.depth,
      chars: row.text.length,
      at: row.changed_at,
      change: row.change,
      author: row.changed_by ?? row.author,
      trust: row.trust,
      deleted_at: row.deleted_at,
      facts: JSON.stringify(toFacts(row)),
      text: row.text,
    })
    .onConflict((conflict) => conflict.columns(["entry_seq", "version"]).doNothing())
    .execute();
}

/** The columns that make the entry a new version, after the one that it is; the oldest ones go. */
export async function nextVersion(
  tx: Transaction<Tables>,
  row: MemoryEntryRow,
): Promise<Partial<MemoryEntryRow>> {
  await keepVersion(tx, row);
  const kept = await tx
    .selectFrom("memory_version")
    .select(["version", "depth", "chars"])
    .where("entry_seq", "=", row.seq)
    .orderBy("version", "desc")
    .execute();
  let chars = 0;
  const fits = kept.filter((each, index) => {
    chars += each.chars;
    return index < maxVersions && chars <= maxVersionChars;
  });
  if (fits.length < kept.length)
    await tx
      .deleteFrom("memory_version")
      .where("entry_seq", "=", row.seq)
      .where("version", "<", fits.at(-1)?.version ?? 0)
      .execute();
  const version = row.last_version + 1;
  const depth = row.depth + 1;
  return {
    version,
    last_version: version,
    depth,
    undo_depth: new Set(fits.flatMap((each) => (each.depth < depth ? [each.depth] : []))).size,
    redo_depth: 0,
  };
}

/**
 * The columns that make the entry what it was one change earlier, or what it was before that was taken back. Versions
 * are numbered as they are made: of those at one depth, the newest is the one that led on from there.
 */
export async function stepTo(
  tx: Transaction<Tables>,
  row: MemoryEntryRow,
  step: "undo_block" | "redo_block",
): Promise<Partial<MemoryEntryRow>> {
  const by = step === "undo_block" ? -1 : 1;
  if ((by < 0 ? row.undo_depth : row.redo_depth) === 0) throw nothingTo(step, row);
  await keepVersion(tx, row);
  const version = await tx
    .selectFrom("memory_version")
    .selectAll()
    .where("entry_seq", "=", row.seq)
    .where("depth", "=", row.depth + by)
    .orderBy("version", "desc")
    .limit(1)
    .executeTakeFirst();
  if (version === undefined) throw nothingTo(step, row);
  return {
    ...toFactColumns(JSON.parse(version.facts) as MemoryFacts),
    text: version.text,
    trust: version.trust,
    deleted_at: version.deleted_at,
    version: version.version,
    depth: version.depth,
    undo_depth: row.undo_depth + by,
    redo_depth: row.redo_depth - by,
    change: version.change,
    changed_by: version.author,
  };
}

/** The newest first. What the entry is has no row of its own yet where it never was anything else. */
export async function readHistory(
  db: Kysely<Tables>,
  row: MemoryEntryRow,
): Promise<readonly MemoryVersion[]> {
  const kept = await db
    .selectFrom("memory_version")
    .selectAll()
    .where("entry_seq", "=", row.seq)
    .orderBy("version", "desc")
    .execute();
  const versions = kept.map(
    (each): MemoryVersion => ({
      version: each.version,
      at: each.at,
      author: JSON.parse(each.author) as MemoryAuthor,
      change: each.change,
      text: each.text,
      facts: JSON.parse(each.facts) as MemoryFacts,
      trust: each.trust,
      deleted: each.deleted_at !== null,
      current: each.version === row.version,
    }),
  );
  if (versions.some(({ current }) => current)) return versions;
  const current: MemoryVersion = {
    version: row.version,
    at: row.changed_at,
    author: JSON.parse(row.changed_by ?? row.author) as MemoryAuthor,
    change: row.change,
    text: row.text,
    facts: toFacts(row),
    trust: row.trust,
    deleted: row.deleted_at !== null,
    current: true,
  };
  return [current, ...versions];
}

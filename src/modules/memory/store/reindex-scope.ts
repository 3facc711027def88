import type { Transaction } from "kysely";
import { toIndexed } from "./entries/entry-row.ts";
import { indexEntries } from "./search/index-text.ts";
import type { Tables } from "./tables.ts";
import type { MemoryVectors } from "./vectors/memory-vectors.ts";

const rowsAtOnce = 500;

/**
 * Makes the indexes of what a scope finds anew from its rows, whatever they held. The vectors of its own entries are
 * made again afterwards, in the background; until then the old ones serve.
 *
 * @returns how many entries it finds, those that were deleted or superseded too
 */
export async function reindexScope(
  tx: Transaction<Tables>,
  scope: string,
  vectors: Pick<MemoryVectors, "noteTexts">,
  signal?: AbortSignal,
): Promise<number> {
  await emptyIndex(tx, scope);
  let count = 0;
  for (let last = 0; ; ) {
    signal?.throwIfAborted();
    const rows = await tx
      .selectFrom("memory_entry")
      .selectAll()
      .where((row) =>
        row.or([
          row("scope", "=", scope),
          row(
            "seq",
            "in",
            row.selectFrom("memory_share").select("entry_seq").where("memory_share.scope", "=", scope),
          ),
        ]),
      )
      .where("seq", ">", last)
      .orderBy("seq")
      .limit(rowsAtOnce)
      .execute();
    const end = rows.at(-1);
    if (end === undefined) return count;
    await indexEntries(
      tx,
      rows.map((row) => toIndexed(row, [scope])),
    );
    const own = rows.filter((row) => row.scope === scope);
    await vectors.noteTexts(
      tx,
      own.map(({ seq }) => seq),
    );
    count += rows.length;
    last = end.seq;
  }
}

async function emptyIndex(tx: Transaction<Tables>, scope: string): Promise<void> {
  const known = await tx
    .selectFrom("memory_scope")
    .select("id")
    .where("scope", "=", scope)
    .executeTakeFirst();
  if (known === undefined) return;
  await tx.deleteFrom("memory_word").where("scope_id", "=", known.id).execute();
  await tx.deleteFrom("memory_name").where("scope_id", "=", known.id).execute();
  await tx.updateTable("memory_scope").set({ entries: 0, words: 0 }).where("id", "=", known.id).execute();
}

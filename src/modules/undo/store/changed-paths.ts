import type { Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/** The calls whose changes are listed. */
export interface ChangedPathsQuery {
  readonly scope: string;
  /** What the ids of these calls begin with. */
  readonly callPrefix: string;
  readonly limit: number;
}

/**
 * Lists the files that calls changed, each once, in the order of the first change: with those of the calls that they
 * made, and without what was undone.
 */
export async function listChangedPaths(
  db: Pick<Transaction<Tables>, "selectFrom">,
  { scope, callPrefix, limit }: ChangedPathsQuery,
): Promise<readonly string[]> {
  const [own = [], inner = []] = await Promise.all(
    (["call_id", "outer_call_id"] as const).map((id) =>
      db
        .selectFrom("file_change")
        .select(["path", (row) => row.fn.min("seq").as("first")])
        .where("scope", "=", scope)
        .where(id, ">=", callPrefix)
        .where(id, "<", `${callPrefix}\uffff`)
        .where("undone_at", "is", null)
        // Neither a former content nor a new one: a folder that was made for a file.
        .where((row) =>
          row.or([row("former_artifact_id", "is not", null), row("after_hash", "is not", null)]),
        )
        .groupBy("path")
        .orderBy("first")
        .limit(limit)
        .execute(),
    ),
  );
  const inOrder = [...own, ...inner].sort((one, other) => one.first - other.first);
  return [...new Set(inOrder.map(({ path }) => path))].slice(0, limit);
}

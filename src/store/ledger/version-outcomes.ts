import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import type { VersionOutcomes } from "./ledger-store.ts";

/** What became of the calls of one tool, by its version. */
export async function outcomesOf(
  db: Kysely<Tables>,
  { tool, since }: { readonly tool: string; readonly since?: number | undefined },
): Promise<readonly VersionOutcomes[]> {
  let rows = db
    .selectFrom("ledger")
    .where("event", "=", "ended")
    .where("tool_name", "=", tool)
    .where("tool_version", "is not", null);
  if (since !== undefined) rows = rows.where("at", ">=", since);
  const found = await rows
    .select((row) => [
      "tool_version",
      row.fn.countAll<number>().filterWhere("outcome", "=", "completed").as("completed"),
      row.fn.countAll<number>().filterWhere("outcome", "=", "failed").as("failed"),
      row.fn.countAll<number>().filterWhere("outcome", "in", ["denied", "cancelled"]).as("stopped"),
      row.fn.avg<number | null>("duration_ms").filterWhere("outcome", "=", "completed").as("average"),
      row.fn.max("at").as("last"),
    ])
    .groupBy("tool_version")
    .orderBy("last", "desc")
    .execute();
  return found.map(({ tool_version, completed, failed, stopped, average, last }) => ({
    version: tool_version as string,
    completed: Number(completed),
    failed: Number(failed),
    stopped: Number(stopped),
    averageMs: average === null ? undefined : Number(average),
    lastAt: Number(last),
  }));
}

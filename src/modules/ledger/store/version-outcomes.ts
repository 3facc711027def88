import type { Kysely } from "kysely";
import type { VersionOutcomes } from "./ledger-store.ts";
import type { Tables } from "./tables.ts";

/** What became of the calls of one tool, by its version. */
export async function countOutcomes(
  db: Kysely<Tables>,
  { tool, since }: { readonly tool: string; readonly since?: number | undefined },
): Promise<readonly VersionOutcomes[]> {
  let rows = db
    .selectFrom("ledger as ended")
    .leftJoin("ledger as first", "first.seq", "ended.start_seq")
    .where("ended.event", "=", "ended")
    .where("ended.tool_name", "=", tool);
  if (since !== undefined) rows = rows.where("ended.at", ">=", since);
  const found = await rows
    .select((row) => [
      row.fn.coalesce("first.tool_version", "ended.tool_version").as("version"),
      row.fn.countAll<number>().filterWhere("ended.outcome", "=", "completed").as("completed"),
      row.fn.countAll<number>().filterWhere("ended.outcome", "=", "failed").as("failed"),
      row.fn.countAll<number>().filterWhere("ended.outcome", "in", ["denied", "cancelled"]).as("stopped"),
      row.fn
        .avg<number | null>("ended.duration_ms")
        .filterWhere("ended.outcome", "=", "completed")
        .as("average"),
      row.fn.max("ended.at").as("last"),
    ])
    .groupBy("version")
    .orderBy("last", "desc")
    .execute();
  const known = found.filter((one) => one.version !== null); // The others found no tool.
  return known.map(({ version, completed, failed, stopped, average, last }) => ({
    version: version as string,
    completed: Number(completed),
    failed: Number(failed),
    stopped: Number(stopped),
    averageMs: average === null ? undefined : Number(average),
    lastAt: Number(last),
  }));
}

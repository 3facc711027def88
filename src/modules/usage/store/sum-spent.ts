import { type SelectQueryBuilder, sql, type Transaction } from "kysely";
import type { Tables } from "./tables.ts";
import type { Spent, SpentQuery } from "./usage.ts";

type Queries = Pick<Transaction<Tables>, "selectFrom">;
type Rows = SelectQueryBuilder<Tables, "model_call", object>;

/** Adds up what was spent by one query. */
export async function sumSpent(db: Queries, query: SpentQuery): Promise<Spent> {
  if ("runIds" in query && query.runIds?.length === 0) return nothing;
  const rows = select(db, query);
  const sums = await rows
    .select((row) => [
      row.fn.sum<number | null>("cost_micros").as("cost"),
      row.fn.sum<number | null>(sql`input_tokens + output_tokens`).as("tokens"),
      row.fn.sum<number | null>(sql`ended_at - started_at`).as("ms"),
      // A step is asked for again only where the request before failed.
      sql<number>`count(case when purpose = 'step' and error is null then 1 end)`.as("steps"),
      row.fn.countAll<number>().filterWhere("priced", "=", "no").as("unpriced"),
    ])
    .executeTakeFirstOrThrow();
  return {
    costMicros: Number(sums.cost ?? 0),
    tokens: Number(sums.tokens ?? 0),
    ms: Number(sums.ms ?? 0),
    steps: Number(sums.steps),
    unpricedModels: Number(sums.unpriced) === 0 ? [] : await listUnpriced(rows),
  };
}

const nothing: Spent = { costMicros: 0, tokens: 0, ms: 0, steps: 0, unpricedModels: [] };

function select(db: Queries, query: SpentQuery): Rows {
  const rows = db.selectFrom("model_call").where("scope", "=", query.scope);
  if ("rootId" in query) {
    const tree = rows.where("root_id", "=", query.rootId);
    return query.runIds === undefined ? tree : tree.where("run_id", "in", query.runIds);
  }
  if ("runIds" in query) return rows.where("run_id", "in", query.runIds);
  const since = rows.where("started_at", ">=", query.since);
  return query.agentId === undefined ? since : since.where("agent_id", "=", query.agentId);
}

/** A call under way may still say its cost. */
async function listUnpriced(rows: Rows): Promise<readonly string[]> {
  const models = await rows
    .select("model")
    .distinct()
    .where("priced", "=", "no")
    .where("ended_at", "is not", null)
    .orderBy("model")
    .execute();
  return models.map(({ model }) => model);
}

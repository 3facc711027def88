import type { Transaction } from "kysely";
import type { Tables } from "./tables.ts";
import type { SessionStep, StepQuery } from "./usage.ts";

const defaultLimit = 1000;

/** The newest answers of sessions, with their cached input. */
export async function listSteps(
  db: Pick<Transaction<Tables>, "selectFrom">,
  { scope, since, limit = defaultLimit }: StepQuery,
): Promise<readonly SessionStep[]> {
  const rows = await db
    .selectFrom("model_call")
    .select(["session_id", "model", "started_at", "input_tokens", "cache_read_tokens"])
    .where("scope", "=", scope)
    .where("started_at", ">=", since)
    .where("purpose", "=", "step")
    .where("session_id", "is not", null)
    .where("stop", "is not", null)
    .orderBy("started_at", "desc")
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    sessionId: row.session_id as string,
    model: row.model,
    at: row.started_at,
    inputTokens: row.input_tokens,
    cacheReadTokens: row.cache_read_tokens,
  }));
}

import type { Kysely } from "kysely";
import type { Tables } from "./tables.ts";
import type { ModelCall } from "./usage.ts";

/** The requests of one run, in the order in which they were made. */
export async function listModelCalls(
  db: Kysely<Tables>,
  scope: string,
  runId: string,
): Promise<readonly ModelCall[]> {
  const rows = await db
    .selectFrom("model_call")
    .selectAll()
    .where("scope", "=", scope)
    .where("run_id", "=", runId)
    .orderBy("started_at")
    .orderBy("step")
    .execute();
  return rows.map((row) => ({
    id: row.id,
    model: row.model,
    purpose: row.purpose,
    step: row.step ?? undefined,
    startedAt: row.started_at,
    endedAt: row.ended_at ?? undefined,
    stop: row.stop ?? undefined,
    error: row.error ?? undefined,
    usage: {
      inputTokens: row.input_tokens,
      cacheReadTokens: row.cache_read_tokens,
      cacheWriteTokens: row.cache_write_tokens,
      outputTokens: row.output_tokens,
      reasoningTokens: row.reasoning_tokens,
      costMicros: row.cost_micros ?? undefined,
      priced: row.priced,
    },
  }));
}

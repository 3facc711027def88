import type { Transaction } from "kysely";
import type { Clock } from "../../../base/index.ts";
import { randomId, type TypedDatabase } from "../../../db/index.ts";
import type { ModelCallRow, Tables } from "./tables.ts";
import {
  type CallUsage,
  type ModelCall,
  type ModelCallEnd,
  type NewModelCall,
  processDied,
  type SessionStep,
  type Spent,
  type SpentQuery,
  type StepQuery,
  type Usage,
  type UsageQuery,
  type UsageTotal,
} from "./usage.ts";

export interface SqlUsageOptions {
  readonly clock: Clock;
  /** The id of this opening of the store, which is the name of its lock. */
  readonly processId: string;
  /** Lets other processes know that this one is alive. */
  readonly begin: () => Promise<void>;
}

/** {@link Usage} over any {@link TypedDatabase}. Sums need Kysely, which is loaded when it is first used. */
export class SqlUsage implements Usage {
  readonly #db: TypedDatabase<Tables>;
  readonly #options: SqlUsageOptions;

  constructor(db: TypedDatabase<Tables>, options: SqlUsageOptions) {
    this.#db = db;
    this.#options = options;
  }

  async begin(call: NewModelCall): Promise<string> {
    await this.#options.begin();
    return this.#db.write((tx) => this.#insert(tx, call));
  }

  async beginWithin(
    queries: readonly SpentQuery[],
    decide: (spent: readonly Spent[]) => NewModelCall | undefined,
  ): Promise<string | undefined> {
    const { sumSpent } = await import("./sum-spent.ts");
    await this.#options.begin();
    return this.#db.write(async (tx) => {
      const spent: Spent[] = [];
      for (const query of queries) spent.push(await sumSpent(tx, query));
      const call = decide(spent);
      return call && this.#insert(tx, call);
    });
  }

  async #insert(tx: Transaction<Tables>, call: NewModelCall): Promise<string> {
    const id = randomId("mc", 16);
    const row: ModelCallRow = {
      scope: call.scope,
      id,
      process_id: this.#options.processId,
      run_id: call.run?.id ?? null,
      root_id: call.run?.rootId ?? null,
      session_id: call.sessionId ?? null,
      agent_id: call.agentId ?? null,
      project: call.project ?? null,
      step: call.run?.step ?? null,
      model: call.model,
      purpose: call.purpose,
      source: call.source ?? call.purpose,
      started_at: this.#options.clock.now(),
      ended_at: null,
      stop: null,
      ...toColumns(call.reserved),
      error: null,
    };
    await tx.insertInto("model_call").values(row).execute();
    return id;
  }

  async end(scope: string, id: string, { usage, stop, error, model }: ModelCallEnd): Promise<boolean> {
    const ended = await this.#db.write((tx) =>
      tx
        .updateTable("model_call")
        .set({
          ended_at: this.#options.clock.now(),
          stop: stop ?? null,
          error: error ?? null,
          ...(model !== undefined && { model }),
          ...toColumns(usage),
        })
        .where("scope", "=", scope)
        .where("id", "=", id)
        .where("ended_at", "is", null)
        .returning("id")
        .executeTakeFirst(),
    );
    return ended !== undefined;
  }

  async recover(): Promise<number> {
    const db = await this.#db.queries();
    const open = await db
      .selectFrom("model_call")
      .select("process_id")
      .distinct()
      .where("ended_at", "is", null)
      .execute();
    const { locks } = this.#db;
    const dead = open.map((row) => row.process_id).filter((id) => !locks.has(id) && locks.take(id));
    if (dead.length === 0) return 0;
    try {
      return await this.#db.write(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable("model_call")
          // Nobody knows when it ended.
          .set((row) => ({ ended_at: row.ref("started_at"), error: processDied }))
          .where("process_id", "in", dead)
          .where("ended_at", "is", null)
          .executeTakeFirstOrThrow();
        return Number(numUpdatedRows);
      });
    } finally {
      for (const id of dead) locks.release(id, { remove: true });
    }
  }

  async spent(query: SpentQuery): Promise<Spent> {
    return this.spentIn(await this.#db.queries(), query);
  }

  /** What was spent, as a transaction of other rows sees it. */
  async spentIn(db: Pick<Transaction<Tables>, "selectFrom">, query: SpentQuery): Promise<Spent> {
    const { sumSpent } = await import("./sum-spent.ts");
    return sumSpent(db, query);
  }

  async list(scope: string, runId: string): Promise<readonly ModelCall[]> {
    const { listModelCalls } = await import("./list-calls.ts");
    return listModelCalls(await this.#db.queries(), scope, runId);
  }

  async totals(query: UsageQuery): Promise<readonly UsageTotal[]> {
    const { sumTotals } = await import("./sum-totals.ts");
    return sumTotals(await this.#db.queries(), query);
  }

  async steps(query: StepQuery): Promise<readonly SessionStep[]> {
    const { listSteps } = await import("./list-steps.ts");
    return listSteps(await this.#db.queries(), query);
  }
}

/** @throws {RangeError} */
function toColumns({ costMicros, priced, ...counts }: CallUsage) {
  for (const [name, count] of Object.entries({ ...counts, costMicros: costMicros ?? 0 }))
    if (!Number.isSafeInteger(count) || count < 0)
      throw new RangeError(`Cannot count ${count} as ${name}: it is no whole number from 0`);
  if ((costMicros === undefined) !== (priced === "no"))
    throw new RangeError(`Cannot keep the cost ${costMicros} as priced "${priced}"`);
  return {
    input_tokens: counts.inputTokens,
    cache_read_tokens: counts.cacheReadTokens,
    cache_write_tokens: counts.cacheWriteTokens,
    output_tokens: counts.outputTokens,
    reasoning_tokens: counts.reasoningTokens,
    cost_micros: costMicros ?? null,
    priced,
  };
}

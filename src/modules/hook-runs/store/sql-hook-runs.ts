import { cutHead } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import type { HookRunLog, HookRuns, HookStats } from "./hook-runs.ts";
import type { Tables } from "./tables.ts";

const longestError = 1000;

/** {@link HookRunLog} over any {@link TypedDatabase}. */
export class SqlHookRuns implements HookRunLog {
  readonly #db: TypedDatabase<Tables>;

  constructor(db: TypedDatabase<Tables>) {
    this.#db = db;
  }

  async add(scope: string, counted: readonly HookRuns[]): Promise<void> {
    await this.#db.write(async (tx) => {
      for (const { hook, runs, blocks, errors, totalMs, lastRunAt, lastError } of counted) {
        const error = lastError === undefined ? undefined : cutHead(lastError, longestError);
        await tx
          .insertInto("hook_statistics")
          .values({
            scope,
            hook,
            runs,
            blocks,
            errors,
            total_ms: Math.round(totalMs),
            last_run_at: lastRunAt,
            last_error: error ?? null,
          })
          .onConflict((conflict) =>
            conflict.columns(["scope", "hook"]).doUpdateSet((row) => ({
              runs: row("hook_statistics.runs", "+", runs),
              blocks: row("hook_statistics.blocks", "+", blocks),
              errors: row("hook_statistics.errors", "+", errors),
              total_ms: row("hook_statistics.total_ms", "+", Math.round(totalMs)),
              last_run_at: lastRunAt,
              ...(error !== undefined && { last_error: error }),
            })),
          )
          .execute();
      }
    });
  }

  async list(scope: string): Promise<readonly HookStats[]> {
    const db = await this.#db.queries();
    const rows = await db
      .selectFrom("hook_statistics")
      .selectAll()
      .where("scope", "=", scope)
      .orderBy("hook")
      .execute();
    return rows.map(({ hook, runs, blocks, errors, total_ms, last_run_at, last_error }) => ({
      hook,
      runs,
      blocks,
      errors,
      meanMs: runs === 0 ? 0 : total_ms / runs,
      ...(last_run_at !== null && { lastRunAt: last_run_at }),
      ...(last_error !== null && { lastError: last_error }),
    }));
  }
}

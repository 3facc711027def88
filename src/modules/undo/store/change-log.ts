import type { Clock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import type { ChangeHistory, ChangingCall, ChangingCallQuery, FileChange } from "./changes.ts";
import type { Tables } from "./tables.ts";

/** The change log over any {@link TypedDatabase}. */
export class SqlChangeLog implements ChangeHistory {
  readonly #db: TypedDatabase<Tables>;
  readonly #clock: Clock;

  constructor(db: TypedDatabase<Tables>, options: { readonly clock: Clock }) {
    this.#db = db;
    this.#clock = options.clock;
  }

  async record({ scope, callId, outerCallId, path, before, afterHash }: FileChange): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .insertInto("file_change")
        .values({
          scope,
          call_id: callId,
          path,
          former_artifact_id: before?.artifactId ?? null,
          former_mode: before?.mode ?? null,
          after_hash: afterHash,
          recorded_at: this.#clock.now(),
          undone_at: null,
          outer_call_id: outerCallId ?? null,
        })
        .execute(),
    );
  }

  async ofCall(scope: string, callId: string): Promise<readonly FileChange[]> {
    const db = await this.#db.queries();
    const rows = await db
      .selectFrom("file_change")
      .selectAll()
      .where("scope", "=", scope)
      .where((row) => row.or([row("call_id", "=", callId), row("outer_call_id", "=", callId)]))
      .where("undone_at", "is", null)
      .orderBy("seq")
      .execute();
    return rows.map((row) => ({
      scope,
      callId: row.call_id,
      ...(row.outer_call_id !== null && { outerCallId: row.outer_call_id }),
      path: row.path,
      before:
        row.former_artifact_id === null || row.former_mode === null
          ? null
          : { artifactId: row.former_artifact_id, mode: row.former_mode },
      afterHash: row.after_hash,
    }));
  }

  async list(
    scope: string,
    { callIds, callPrefix, limit }: ChangingCallQuery,
  ): Promise<readonly ChangingCall[]> {
    const db = await this.#db.queries();
    let query = db
      .selectFrom("file_change")
      .select(["call_id", "outer_call_id", "path", "undone_at"])
      .where("scope", "=", scope);
    if (callIds !== undefined)
      query = query.where((row) =>
        row.or([row("call_id", "in", callIds), row("outer_call_id", "in", callIds)]),
      );
    if (callPrefix !== undefined)
      query = query.where((row) => {
        const begins = (id: "call_id" | "outer_call_id") =>
          row.and([row(id, ">=", callPrefix), row(id, "<", `${callPrefix}\uffff`)]);
        return row.or([begins("call_id"), begins("outer_call_id")]);
      });
    const rows = await query.orderBy("seq", "desc").limit(limit).execute();
    const calls = Map.groupBy(rows, (row) => row.outer_call_id ?? row.call_id);
    return Array.from(calls, ([callId, changes]) => ({
      callId,
      paths: [...new Set(changes.map(({ path }) => path).reverse())],
      undone: changes.every(({ undone_at }) => undone_at !== null),
    }));
  }

  async markUndone(scope: string, callId: string): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .updateTable("file_change")
        .set({ undone_at: this.#clock.now() })
        .where("scope", "=", scope)
        .where((row) => row.or([row("call_id", "=", callId), row("outer_call_id", "=", callId)]))
        .where("undone_at", "is", null)
        .execute(),
    );
  }

  async forget(scope: string, callId: string): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .deleteFrom("file_change")
        .where("scope", "=", scope)
        .where("call_id", "=", callId)
        .where("undone_at", "is", null)
        .execute(),
    );
  }
}

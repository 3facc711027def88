import type { Clock } from "../base/index.ts";
import type { ChangeLog, FileChange } from "./changes.ts";
import type { Database } from "./database.ts";

/** The change log over any {@link Database}. */
export class SqlChangeLog implements ChangeLog {
  readonly #db: Database;
  readonly #clock: Clock;

  constructor(db: Database, options: { readonly clock: Clock }) {
    this.#db = db;
    this.#clock = options.clock;
  }

  async record({ scope, callId, path, before, afterHash }: FileChange): Promise<void> {
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
      .where("call_id", "=", callId)
      .where("undone_at", "is", null)
      .orderBy("seq")
      .execute();
    return rows.map(({ path, former_artifact_id: artifactId, former_mode: mode, after_hash: afterHash }) => ({
      scope,
      callId,
      path,
      before: artifactId === null || mode === null ? null : { artifactId, mode },
      afterHash,
    }));
  }

  async markUndone(scope: string, callId: string): Promise<void> {
    await this.#db.write((tx) =>
      tx
        .updateTable("file_change")
        .set({ undone_at: this.#clock.now() })
        .where("scope", "=", scope)
        .where("call_id", "=", callId)
        .where("undone_at", "is", null)
        .execute(),
    );
  }
}

import type { Statement, TypedDatabase } from "../../../db/index.ts";
import type { Tables, UntrustedFileRow } from "./tables.ts";

/** The most files that are remembered; of more, the latest. */
const mostFiles = 10_000;

/** Written out, so that the first call of a process need not load Kysely. */
const untrustedFileSql = {
  insert: 'insert or replace into "untrusted_file" ("path", "call_id", "at") values (?, ?, ?)',
  list: `select "path" from (select "path", "at" from "untrusted_file" order by "at" desc limit ${mostFiles}) order by "at"`,
};

/** Files that calls wrote with data from outside. */
export class UntrustedFileRows {
  readonly #db: TypedDatabase<Tables>;
  #insert: Statement | undefined;

  constructor(db: TypedDatabase<Tables>) {
    this.#db = db;
  }

  /** Called within the transaction that records the calls. */
  insert(rows: readonly UntrustedFileRow[]): void {
    if (rows.length === 0) return;
    this.#insert ??= this.#db.prepare(untrustedFileSql.insert);
    for (const { path, call_id, at } of rows) this.#insert.run(path, call_id, at);
  }

  /** The oldest first. */
  list(): readonly string[] {
    return this.#db
      .prepare(untrustedFileSql.list)
      .all()
      .map((row) => (row as Pick<UntrustedFileRow, "path">).path);
  }
}

export function toFileRows(
  callId: string,
  paths: readonly string[] | undefined,
  at: number,
): readonly UntrustedFileRow[] {
  return (paths ?? []).map((path) => ({ path, call_id: callId, at: Math.trunc(at) }));
}

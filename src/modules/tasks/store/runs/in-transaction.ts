import type { Transaction } from "kysely";
import type { SqlTasks } from "../sql-tasks.ts";
import type { Tables } from "../tables.ts";

/** Changes of tasks in a transaction of other rows: they are there together or not at all. */
export type TasksInTransaction = Pick<SqlTasks, "createIn" | "applyIn" | "findByRunIn">;

/** The same transaction for the tables of tasks alone. */
export function forTasks<Known extends Tables>(
  tx: Pick<Transaction<Known>, "selectFrom">,
): Transaction<Tables> {
  return tx as unknown as Transaction<Tables>;
}

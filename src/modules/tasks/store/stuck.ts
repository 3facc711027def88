import type { SelectQueryBuilder } from "kysely";
import { findTasks, requireTask } from "./find-tasks.ts";
import type { Tables, TaskRow } from "./tables.ts";
import { toTask } from "./task-row.ts";
import type { StuckChain } from "./tasks.ts";
import type { Queries } from "./writing.ts";

type Known = Tables & { readonly down: { readonly id: string } };

const mostShown = 200;
/** Maximum number of chains in one answer. */
const mostChains = 200;

/** Finds the tasks that can't begin because of stopped tasks, archived ones included. */
export async function findStuck(
  db: Queries,
  { scope, projectId, id }: { readonly scope: string; readonly projectId?: string; readonly id?: string },
): Promise<readonly StuckChain[]> {
  const roots =
    id === undefined ? await findStopped(db, scope, projectId) : [await requireTask(db, scope, id)];
  const chains: StuckChain[] = [];
  for (const root of roots) {
    const waiting = listWaiting(db, root);
    const nearest = await waiting.select("down.id").limit(mostShown).execute();
    const downstream = await findTasks(
      db,
      scope,
      nearest.map((row) => row.id),
    );
    const { count } = await waiting
      .select((row) => row.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    chains.push({ task: toTask(root), downstream: downstream.map(toTask), count: Number(count) });
  }
  return chains;
}

/** The stopped tasks that others wait for. The inner query reads indexes only; its cross join keeps the order of the tables, as below. */
function findStopped(db: Queries, scope: string, projectId: string | undefined): Promise<TaskRow[]> {
  const stopped = db
    .selectFrom("task as stopped")
    .select("stopped.id")
    .where("stopped.scope", "=", scope)
    .where("stopped.state", "in", ["BLOCKED", "FAILED"])
    .where((task) =>
      task.exists(
        task
          .selectFrom("task_dependency as edge")
          .crossJoin("task as waiting")
          .select("edge.task_id")
          .whereRef("edge.scope", "=", "stopped.scope")
          .whereRef("edge.depends_on", "=", "stopped.id")
          .whereRef("waiting.scope", "=", "edge.scope")
          .whereRef("waiting.id", "=", "edge.task_id")
          .where("waiting.state", "=", "DEFINED"),
      ),
    );
  let rows = db.selectFrom("task").selectAll().where("scope", "=", scope).where("id", "in", stopped);
  if (projectId !== undefined) rows = rows.where("project_id", "=", projectId);
  return rows.orderBy("priority").orderBy("seq").limit(mostChains).execute();
}

/**
 * Walks the tasks that wait for one, nearest first: SQLite takes rows of a recursive query in the order in which it found
 * them. A cross join keeps the written order, whatever SQLite assumes about the tables' sizes.
 */
function listWaiting(db: Queries, { scope, id }: TaskRow): SelectQueryBuilder<Known, "down", object> {
  return db
    .withRecursive("down(id)", (query) =>
      query
        .selectFrom("task_dependency as edge")
        .innerJoin("task", (join) =>
          join.onRef("task.scope", "=", "edge.scope").onRef("task.id", "=", "edge.task_id"),
        )
        .select("edge.task_id as id")
        .where("edge.scope", "=", scope)
        .where("edge.depends_on", "=", id)
        .where("task.state", "=", "DEFINED")
        .union(
          query
            .selectFrom("down")
            .crossJoin("task_dependency as edge")
            .crossJoin("task")
            .select("edge.task_id as id")
            .whereRef("edge.depends_on", "=", "down.id")
            .whereRef("task.scope", "=", "edge.scope")
            .whereRef("task.id", "=", "edge.task_id")
            .where("edge.scope", "=", scope)
            .where("task.state", "=", "DEFINED"),
        ),
    )
    .selectFrom("down");
}

import { findTasks, requireTask } from "./find-tasks.ts";
import type { TaskRow } from "./tables.ts";
import { toTask } from "./task-row.ts";
import type { StuckChain } from "./tasks.ts";
import type { Queries } from "./writing.ts";

const mostShown = 200;
/** Chains of one answer. */
const mostChains = 200;

/** What can't begin because of tasks that stopped: the archived ones too, while others wait for them. */
export async function findStuck(
  db: Queries,
  { scope, projectId, id }: { readonly scope: string; readonly projectId?: string; readonly id?: string },
): Promise<readonly StuckChain[]> {
  const roots =
    id === undefined ? await findStopped(db, scope, projectId) : [await requireTask(db, scope, id)];
  const chains: StuckChain[] = [];
  for (const root of roots) {
    const ids = await listWaiting(db, root);
    const shown = await findTasks(db, scope, ids.slice(0, mostShown));
    chains.push({ task: toTask(root), downstream: shown.map(toTask), count: ids.length });
  }
  return chains;
}

/** The stopped tasks that others wait for. */
function findStopped(db: Queries, scope: string, projectId: string | undefined): Promise<TaskRow[]> {
  let rows = db
    .selectFrom("task")
    .selectAll()
    .where("scope", "=", scope)
    .where("state", "in", ["BLOCKED", "FAILED"])
    .where((task) =>
      task.exists(
        task
          .selectFrom("task_dependency as edge")
          .innerJoin("task as waiting", (join) =>
            join.onRef("waiting.scope", "=", "edge.scope").onRef("waiting.id", "=", "edge.task_id"),
          )
          .select("edge.task_id")
          .whereRef("edge.scope", "=", "task.scope")
          .whereRef("edge.depends_on", "=", "task.id")
          .where("waiting.state", "=", "DEFINED"),
      ),
    );
  if (projectId !== undefined) rows = rows.where("project_id", "=", projectId);
  return rows.orderBy("priority").orderBy("seq").limit(mostChains).execute();
}

/** The nearest first: the engine takes what it found in the order in which it found it. */
async function listWaiting(db: Queries, { scope, id }: TaskRow): Promise<readonly string[]> {
  const rows = await db
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
            .innerJoin("task_dependency as edge", (join) => join.onRef("edge.depends_on", "=", "down.id"))
            .innerJoin("task", (join) =>
              join.onRef("task.scope", "=", "edge.scope").onRef("task.id", "=", "edge.task_id"),
            )
            .select("edge.task_id as id")
            .where("edge.scope", "=", scope)
            .where("task.state", "=", "DEFINED"),
        ),
    )
    .selectFrom("down")
    .select("down.id")
    .execute();
  return rows.map((row) => row.id);
}

import { nameCycle } from "./cycle.ts";
import { TaskError } from "./errors.ts";
import { findTasks, requireTask, splitIds } from "./find-tasks.ts";
import { activeStates, holdTask, tell } from "./move-task.ts";
import { release } from "./readiness.ts";
import { refuseArchived, refuseState } from "./refusals.ts";
import { toTask } from "./task-row.ts";
import type { TaskEdges } from "./tasks.ts";
import type { Queries, Writing } from "./writing.ts";

/** An edge, and who adds or removes it. */
export interface Edge {
  readonly scope: string;
  readonly id: string;
  readonly dependsOn: string;
  readonly by: string | undefined;
}

/** What the history of a task says of a dependency that was added. */
export function describeAdded(dependsOn: string): string {
  return `it depends on '${dependsOn}'`;
}

/** @throws {TaskError} */
export async function addEdge(writing: Writing, { scope, id, dependsOn, by }: Edge): Promise<void> {
  const { tx } = writing;
  const row = await requireTask(tx, scope, id);
  const upstream = await requireTask(tx, scope, dependsOn);
  if (id === dependsOn) throw refuseEdge(id, dependsOn, "A task cannot depend on itself");
  if (row.archived_at !== null) throw refuseArchived(id, row.state);
  if (activeStates.has(row.state))
    throw refuseState(
      id,
      row.state,
      `Task '${id}' is currently in progress (status: ${row.state}). Stop it first.`,
    );
  if (await hasEdge(tx, scope, id, dependsOn))
    throw refuseEdge(id, dependsOn, `Task '${id}' already depends on '${dependsOn}'`);
  const cycle = await nameCycle(tx, scope, id, dependsOn);
  if (cycle !== undefined) throw refuseEdge(id, dependsOn, `Cyclic dependency detected: ${cycle}`);
  await tx.insertInto("task_dependency").values({ scope, task_id: id, depends_on: dependsOn }).execute();
  const told = { event: "DEPS_ADDED", by, why: describeAdded(dependsOn) } as const;
  if (row.state === "READY" && upstream.state !== "COMPLETED") await holdTask(writing, row, told);
  else await tell(writing, row, told);
}

/** @throws {TaskError} */
export async function removeEdge(writing: Writing, { scope, id, dependsOn, by }: Edge): Promise<void> {
  const { tx } = writing;
  const row = await requireTask(tx, scope, id);
  if (!(await hasEdge(tx, scope, id, dependsOn)))
    throw refuseEdge(
      id,
      dependsOn,
      `No dependency found: task '${id}' does not depend on '${dependsOn}'; get_task_dependencies says on which it does`,
    );
  await deleteEdge(tx, scope, id, dependsOn);
  await tell(writing, row, { event: "DEPS_REMOVED", by, why: `it no longer depends on '${dependsOn}'` });
  await release(writing, row);
}

/** The tasks at both ends of a task's edges. */
export async function readEdges(db: Queries, scope: string, id: string): Promise<TaskEdges> {
  await requireTask(db, scope, id);
  const { dependsOn = [], blocks = [] } = (await readEdgesOf(db, scope, [id])).get(id) ?? {};
  return {
    dependsOn: (await findTasks(db, scope, dependsOn)).map(toTask),
    blocks: (await findTasks(db, scope, blocks)).map(toTask),
  };
}

interface EdgeIds {
  readonly dependsOn: string[];
  readonly blocks: string[];
}

export async function readEdgesOf(
  db: Queries,
  scope: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EdgeIds>> {
  const edges = new Map<string, EdgeIds>(ids.map((id) => [id, { dependsOn: [], blocks: [] }]));
  for (const part of splitIds(ids)) {
    const all = db.selectFrom("task_dependency").selectAll().where("scope", "=", scope);
    for (const row of await all.where("task_id", "in", part).orderBy("depends_on").execute())
      edges.get(row.task_id)?.dependsOn.push(row.depends_on);
    for (const row of await all.where("depends_on", "in", part).orderBy("task_id").execute())
      edges.get(row.depends_on)?.blocks.push(row.task_id);
  }
  return edges;
}

async function hasEdge(db: Queries, scope: string, id: string, dependsOn: string): Promise<boolean> {
  const row = await db
    .selectFrom("task_dependency")
    .select("task_id")
    .where("scope", "=", scope)
    .where("task_id", "=", id)
    .where("depends_on", "=", dependsOn)
    .executeTakeFirst();
  return row !== undefined;
}

async function deleteEdge(tx: Writing["tx"], scope: string, id: string, dependsOn: string): Promise<void> {
  await tx
    .deleteFrom("task_dependency")
    .where("scope", "=", scope)
    .where("task_id", "=", id)
    .where("depends_on", "=", dependsOn)
    .execute();
}

function refuseEdge(taskId: string, dependsOn: string, message: string): TaskError {
  return new TaskError("QUEUE_DEPENDENCY", message, { details: { taskId, dependsOn } });
}

import { requireTask } from "./find-tasks.ts";
import { checkWhole } from "./limits.ts";
import type { TaskRow } from "./tables.ts";
import { toTask } from "./task-row.ts";
import type { TaskNode } from "./tasks.ts";
import type { Queries } from "./writing.ts";

const deepest = 20;

/** A task and its subtasks. @throws {TaskError} QUEUE_TASK_UNKNOWN @throws {RangeError} */
export async function readTree(db: Queries, scope: string, id: string, depth: number): Promise<TaskNode> {
  checkWhole("depth", depth, 1, deepest);
  const root = await requireTask(db, scope, id);
  const rows = await db
    .withRecursive("below(id, depth)", (query) =>
      query
        .selectFrom("task")
        .select((task) => ["task.id", task.lit(0).as("depth")])
        .where("task.scope", "=", scope)
        .where("task.id", "=", id)
        .unionAll(
          query
            .selectFrom("below")
            .crossJoin("task")
            .select((task) => ["task.id", task("below.depth", "+", 1).as("depth")])
            .whereRef("task.parent_id", "=", "below.id")
            .where("task.scope", "=", scope)
            .where("below.depth", "<", depth),
        ),
    )
    .selectFrom("below")
    .crossJoin("task")
    .selectAll("task")
    .whereRef("task.id", "=", "below.id")
    .where("task.scope", "=", scope)
    .orderBy("task.priority")
    .orderBy("task.seq")
    .execute();
  const children = Map.groupBy(rows, (row) => row.parent_id);
  const toNode = (row: TaskRow, at: number): TaskNode => ({
    task: toTask(row),
    depth: at,
    children: at === depth ? [] : (children.get(row.id) ?? []).map((child) => toNode(child, at + 1)),
  });
  return toNode(root, 0);
}

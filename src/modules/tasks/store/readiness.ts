import { applyEvent, holdTask } from "./move-task.ts";
import type { TaskEvent, TaskState } from "./states.ts";
import type { TaskRow } from "./tables.ts";
import type { TaskChange } from "./tasks.ts";
import type { Queries, Writing } from "./writing.ts";

/**
 * Lets an event happen to a task, and what follows from it for itself and for those that depend on it: a task is ready
 * only while all that it depends on is completed, unless a person restarted it.
 *
 * @throws {TaskError} QUEUE_TASK_STATE
 */
export async function applyWithConsequences(
  writing: Writing,
  row: TaskRow,
  event: TaskEvent,
  change: TaskChange = {},
): Promise<TaskRow> {
  const moved = await applyEvent(writing, row, event, change);
  await followCompletion(writing, row, moved);
  const isForced = event === "ADMIN_RESTART" || event === "DEPS_MET";
  if (moved.state !== "READY" || isForced || !(await isHeldUp(writing.tx, moved))) return moved;
  return holdTask(writing, moved, { event: "DEPS_UNMET" });
}

/** Moves the tasks that depend on one that was completed, or no longer is. */
export async function followCompletion(writing: Writing, before: TaskRow, after: TaskRow): Promise<void> {
  if (before.state !== "COMPLETED" && after.state === "COMPLETED") await releaseDependants(writing, after);
  if (before.state === "COMPLETED" && after.state !== "COMPLETED") {
    for (const row of await findDependants(writing.tx, after, "READY"))
      await holdTask(writing, row, { event: "DEPS_UNMET", why: `'${after.id}' is to be done again` });
  }
}

/** States of a task whose run may be parked while others change what the task depends on. */
const parkedStates: readonly TaskState[] = ["PAUSED", "WAITING_INPUT"];

/** Lets the tasks go on that waited for this one. */
async function releaseDependants(writing: Writing, row: TaskRow): Promise<void> {
  for (const one of await findDependants(writing.tx, row, "DEFINED", ...parkedStates))
    await release(writing, one);
}

/** Makes a task ready if it waits for nothing any more. Its parked run is woken, and looks for itself what it waits for. */
export async function release(writing: Writing, row: TaskRow): Promise<TaskRow> {
  const { state, scope, run_id: runId } = row;
  if (row.archived_at !== null) return row;
  if (runId !== null && parkedStates.includes(state)) await writing.wakeRun({ scope, runId });
  if (state !== "DEFINED" || (await isHeldUp(writing.tx, row))) return row;
  return applyEvent(writing, row, "DEPS_MET");
}

/** Whether a task depends on one that is not completed. */
async function isHeldUp(db: Queries, { scope, id }: Pick<TaskRow, "scope" | "id">): Promise<boolean> {
  const unmet = await db
    .selectFrom("task_dependency")
    .innerJoin("task", (join) =>
      join
        .onRef("task.scope", "=", "task_dependency.scope")
        .onRef("task.id", "=", "task_dependency.depends_on"),
    )
    .select("task.id")
    .where("task_dependency.scope", "=", scope)
    .where("task_dependency.task_id", "=", id)
    .where("task.state", "<>", "COMPLETED")
    .limit(1)
    .executeTakeFirst();
  return unmet !== undefined;
}

function findDependants(
  db: Queries,
  { scope, id }: TaskRow,
  ...states: readonly TaskState[]
): Promise<TaskRow[]> {
  return db
    .selectFrom("task_dependency")
    .innerJoin("task", (join) =>
      join.onRef("task.scope", "=", "task_dependency.scope").onRef("task.id", "=", "task_dependency.task_id"),
    )
    .selectAll("task")
    .where("task_dependency.scope", "=", scope)
    .where("task_dependency.depends_on", "=", id)
    .where("task.state", "in", states)
    .where("task.archived_at", "is", null)
    .orderBy("task.priority")
    .orderBy("task.seq")
    .execute();
}

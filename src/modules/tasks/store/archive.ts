import { TaskError } from "./errors.ts";
import { findTasks } from "./find-tasks.ts";
import { activeStates, changeFields, redefineTask, tell } from "./move-task.ts";
import { followCompletion, release } from "./readiness.ts";
import { refuseArchived, refuseState } from "./refusals.ts";
import type { TaskState } from "./states.ts";
import type { TaskRow } from "./tables.ts";
import type { Writing } from "./writing.ts";

const endStates: ReadonlySet<TaskState> = new Set(["COMPLETED", "FAILED", "BLOCKED"]);

/** @throws {TaskError} QUEUE_TASK_STATE */
export async function archiveTask(writing: Writing, row: TaskRow, by: string | undefined): Promise<TaskRow> {
  if (row.archived_at !== null) throw refuseArchived(row.id, row.state);
  if (!endStates.has(row.state))
    throw refuseState(
      row.id,
      row.state,
      `Cannot archive task in ${row.state} status: only COMPLETED, FAILED and BLOCKED tasks can be archived`,
    );
  const archived = await changeFields(writing, row, { archived_at: writing.now });
  await tell(writing, archived, { event: "ARCHIVED", by });
  return archived;
}

/** A restored task waits for others, or is ready at once. @throws {TaskError} QUEUE_TASK_STATE */
export async function restoreTask(writing: Writing, row: TaskRow, by: string | undefined): Promise<TaskRow> {
  if (row.archived_at === null)
    throw refuseState(row.id, row.state, `Task '${row.id}' is not archived (status: ${row.state})`);
  const restored = await redefineTask(writing, row, { event: "RESTORED", by });
  await followCompletion(writing, row, restored);
  return release(writing, restored);
}

/** Deletes a task with its notes, results and edges. Its history and subtasks stay. @throws {TaskError} */
export async function deleteTask(
  writing: Writing,
  row: TaskRow,
  { force = false, by }: { readonly force?: boolean; readonly by?: string | undefined },
): Promise<void> {
  const { tx } = writing;
  const { scope, id } = row;
  if (activeStates.has(row.state))
    throw refuseState(
      id,
      row.state,
      `Task '${id}' is currently in progress (status: ${row.state}). Stop it first.`,
    );
  const edges = tx.selectFrom("task_dependency").select("task_id").where("scope", "=", scope);
  const dependants = (await edges.where("depends_on", "=", id).orderBy("task_id").execute()).map(
    ({ task_id }) => task_id,
  );
  if (dependants.length > 0 && !force)
    throw new TaskError(
      "QUEUE_DEPENDENCY",
      `Cannot delete task '${id}': ${nameSome(dependants)} depend on it; remove the dependencies first, or delete it with force`,
      { details: { taskId: id, dependants: dependants.slice(0, 20) } },
    );
  await tx
    .deleteFrom("task_dependency")
    .where("scope", "=", scope)
    .where((edge) => edge.or([edge("task_id", "=", id), edge("depends_on", "=", id)]))
    .execute();
  for (const table of ["task_note", "task_result"] as const)
    await tx.deleteFrom(table).where("scope", "=", scope).where("task_id", "=", id).execute();
  await tx
    .updateTable("task")
    .set({ parent_id: null })
    .where("scope", "=", scope)
    .where("parent_id", "=", id)
    .execute();
  await tx.deleteFrom("task").where("scope", "=", scope).where("id", "=", id).execute();
  await tell(writing, row, { event: "DELETED", by }, { from: row.state });
  for (const one of await findTasks(tx, scope, dependants)) {
    await tell(writing, one, { event: "DEPS_REMOVED", by, why: `'${id}' was deleted` });
    await release(writing, one);
  }
}

function nameSome(ids: readonly string[]): string {
  const named = ids.slice(0, 3).join(", ");
  return ids.length > 3 ? `${named} and ${ids.length - 3} more` : named;
}

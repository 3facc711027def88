import { TaskError } from "./errors.ts";
import { activeStates, changeFields, tell } from "./move-task.ts";
import { refuseArchived, refuseState } from "./refusals.ts";
import type { TaskRow } from "./tables.ts";
import type { TaskEdit } from "./tasks.ts";
import type { Writing } from "./writing.ts";

/** @throws {TaskError} QUEUE_TASK_STATE, QUEUE_NOTHING_TO_CHANGE */
export async function editTask(
  writing: Writing,
  row: TaskRow,
  edit: TaskEdit,
  by: string | undefined,
): Promise<TaskRow> {
  const { redact } = writing;
  const { projectId, title, description, priority, type, verification, maxRetries, profileId } = edit;
  const columns: Omit<Partial<TaskRow>, "state"> = {
    ...(projectId !== undefined && { project_id: projectId }),
    ...(title !== undefined && { title: redact(title) }),
    ...(description !== undefined && { description: redact(description) }),
    ...(priority !== undefined && { priority }),
    ...(type !== undefined && { type }),
    ...(verification !== undefined && { verification }),
    ...(maxRetries !== undefined && { max_retries: maxRetries }),
    ...(profileId !== undefined && { profile_id: profileId }),
  };
  if (Object.keys(columns).length === 0)
    throw new TaskError(
      "QUEUE_NOTHING_TO_CHANGE",
      "No fields to update. Provide project_id, title, description, priority, task_type, verification_type, max_retries or profile_id.",
      { details: { taskId: row.id } },
    );
  if (row.archived_at !== null) throw refuseArchived(row.id, row.state);
  if (projectId !== undefined && projectId !== row.project_id && activeStates.has(row.state))
    throw refuseState(
      row.id,
      row.state,
      `Task '${row.id}' is currently in progress (status: ${row.state}). Stop it first, then move it to another project.`,
    );
  const trust = edit.trust === "untrusted" ? "untrusted" : row.trust;
  const edited = await changeFields(writing, row, { ...columns, trust });
  await tell(writing, edited, { event: "EDITED", by });
  return edited;
}

import type { Run } from "../../modules/sessions/index.ts";
import { findBypassed, TaskError, type Tasks } from "../../modules/tasks/index.ts";

/**
 * Refuses to go on with the run of a task that depends on one which a person has to approve: a resumed run does not wait.
 *
 * @throws {TaskError} QUEUE_TASK_STATE
 */
export async function requireApproved(
  tasks: Pick<Tasks, "findByRun" | "edges">,
  { kind, scope, id }: Pick<Run, "kind" | "scope" | "id">,
): Promise<void> {
  const task = kind === "task" ? await tasks.findByRun(scope, id) : undefined;
  const unapproved = task && (await findBypassed(tasks, task));
  if (task === undefined || unapproved === undefined) return;
  throw new TaskError(
    "QUEUE_TASK_STATE",
    `Cannot go on with the run "${id}" of the task '${task.id}': it depends on '${unapproved.id}', which a person has to approve first; a person can begin it anyway, with \`haft tasks retry ${task.id}\``,
    { details: { state: task.state, unapproved: unapproved.id } },
  );
}

import type { ToolContext } from "../../../kernel/index.ts";
import { TaskError } from "../store/errors.ts";
import { findNextState } from "../store/states.ts";
import type { Task, TaskChange } from "../store/tasks.ts";
import { findActor } from "./find-actor.ts";
import type { QueueServices } from "./services.ts";

/**
 * Puts a task back to READY, with all its retries and in nobody's hands.
 *
 * @throws {TaskError} QUEUE_TASK_UNKNOWN, QUEUE_TASK_STATE
 */
export async function restart(
  { tasks }: Pick<QueueServices, "tasks">,
  id: string,
  change: Pick<TaskChange, "why" | "note" | "prUrl">,
  context: ToolContext,
): Promise<{ readonly before: Task; readonly after: Task }> {
  const { scope } = context;
  const before = await tasks.require(scope, id);
  if (findNextState(before.state, "ADMIN_RESTART") === undefined) throw cannotRestart(before);
  const by = findActor(context);
  const after = await tasks.apply(scope, id, "ADMIN_RESTART", {
    ...change,
    ...(by !== undefined && { by }),
    retries: 0,
    agentId: null,
    resumeAfter: null,
  });
  return { before, after };
}

function cannotRestart({ id, state }: Task): TaskError {
  const why =
    state === "IN_PROGRESS"
      ? "Task is currently in progress. Stop it first, with stop_task"
      : `Task '${id}' is ${state} already`;
  return new TaskError("QUEUE_TASK_STATE", why, { details: { state } });
}

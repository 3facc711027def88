import { TaskError } from "./errors.ts";
import type { TaskEvent, TaskState } from "./states.ts";
import type { TaskRow } from "./tables.ts";

/** States in which a task is claimed. */
const claimedStates: ReadonlySet<TaskState> = new Set(["ASSIGNED", "IN_PROGRESS", "WAITING_INPUT"]);

/** What each event requires, in words for people. */
const needs: Partial<Record<TaskEvent, string>> = {
  ADMIN_SKIP: "Only blocked/failed tasks can be skipped",
  ADMIN_STOP: "is not in progress",
  AGENT_COMPLETED: "is not in progress",
  AGENT_FAILED: "is not in progress",
  ASSIGNED: "is not ready to be worked on",
  DEPS_MET: "does not wait for other tasks",
  HUMAN_REPLIED: "does not wait for an answer",
  PLAN_APPROVED: "is not awaiting plan approval",
  PLAN_DELETED: "is not awaiting plan approval",
  PLAN_REJECTED: "is not awaiting plan approval",
  PR_CLOSED: "is not awaiting approval",
  PR_MERGED: "is not awaiting approval",
  RESUME_TIMER: "is not paused",
};

/** The error of an event that can't happen in the state that a task is in. */
export function refuseEvent(id: string, state: TaskState, event: TaskEvent): TaskError {
  return refuseState(id, state, describe(id, state, event), { event });
}

/** The error of an action that is not possible in the task's state. */
export function refuseState(
  id: string,
  state: TaskState,
  message: string,
  details: { readonly event?: TaskEvent; readonly archived?: true } = {},
): TaskError {
  return new TaskError("QUEUE_TASK_STATE", message, { details: { taskId: id, state, ...details } });
}

/** The error of a change to a task that is in the archive. */
export function refuseArchived(id: string, state: TaskState): TaskError {
  return refuseState(id, state, `Task '${id}' is archived: restore it first`, { archived: true });
}

/** The error of claiming a task that is not ready. It says who has the task. */
export function refuseClaim({ id, state, agent_id, lease_until }: TaskRow): TaskError {
  const has = agent_id !== null && claimedStates.has(state);
  const until = lease_until === null ? "" : ` until ${new Date(lease_until).toISOString()}`;
  const who = has ? `'${agent_id}' has it${until}` : "only READY tasks can be claimed";
  return refuseState(id, state, `Task '${id}' is not ready to be worked on (status: ${state}): ${who}`);
}

function describe(id: string, state: TaskState, event: TaskEvent): string {
  if (event === "ADMIN_RESTART")
    return state === "READY"
      ? `Task '${id}' is ready to be worked on already (status: READY)`
      : `Task '${id}' is currently in progress (status: ${state}). Stop it first.`;
  const need = needs[event];
  if (need === undefined)
    return `Task '${id}' can't have ${event} (status: ${state}): get_task says where it stands`;
  return need.startsWith("Only") ? `${need} (status: ${state})` : `Task '${id}' ${need} (status: ${state})`;
}

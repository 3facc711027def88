import type { ToolContext } from "../../../kernel/index.ts";
import { TaskError } from "../store/errors.ts";
import { findNextState } from "../store/states.ts";
import type { Task, TaskChange, Tasks } from "../store/tasks.ts";
import { changesTask } from "./effects.ts";
import { findActor } from "./find-actor.ts";
import { createPersonGate, findUnapproved, type PersonGate, unapprovedRisk } from "./person-gate.ts";
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

/** The gate of a tool that restarts tasks: a restarted task does not wait for what it depends on. */
export function createRestartGate<Params extends { readonly task_id: string }>(
  tasks: Pick<Tasks, "get" | "edges">,
  tool: string,
  isRestart: (task: Task) => boolean = () => true,
): PersonGate<Params> {
  return createPersonGate<Params>({
    tool,
    effects: ({ task_id: id }) => changesTask(id),
    risk: unapprovedRisk,
    async findRefusal({ task_id: id }, scope) {
      const task = await tasks.get(scope, id);
      if (task === undefined || !isRestart(task)) return undefined;
      const unapproved = await findBypassed(tasks, task);
      if (unapproved === undefined) return undefined;
      return `Cannot begin task '${id}' for an agent: it depends on '${unapproved.id}', which a person has to approve first; a person can begin it anyway, with \`haft tasks retry ${id}\``;
    },
  });
}

/** Finds a task that a person has to approve before this one, and for which a restart of this one does not wait. */
export async function findBypassed(
  tasks: Pick<Tasks, "edges">,
  { scope, id, state }: Task,
): Promise<Task | undefined> {
  if (findNextState(state, "ADMIN_RESTART") === undefined) return undefined;
  return findUnapproved(tasks, scope, (await tasks.edges(scope, id)).dependsOn);
}

function cannotRestart({ id, state }: Task): TaskError {
  const why =
    state === "IN_PROGRESS"
      ? "Task is currently in progress. Stop it first, with stop_task"
      : `Task '${id}' is ${state} already`;
  return new TaskError("QUEUE_TASK_STATE", why, { details: { state } });
}

import type { Run } from "../../modules/sessions/index.ts";
import { describeAdded, type Tasks } from "../../modules/tasks/index.ts";

/** The newest changes of a task that are looked at. */
const mostChanges = 1_000;

/**
 * Whether a parked run has to stay parked, as its task was made to wait for another one meanwhile. The end of that one
 * wakes the run. What the task had to wait for before does not count: whoever resumed the task then knew of it.
 */
export async function isHeldUp(
  tasks: Pick<Tasks, "findByRun" | "edges" | "happenings">,
  { kind, state, scope, id, changedAt }: Run,
): Promise<boolean> {
  if (kind !== "task" || state !== "parked") return false;
  const task = await tasks.findByRun(scope, id);
  if (task === undefined) return false;
  const { dependsOn } = await tasks.edges(scope, task.id);
  const open = dependsOn.filter((one) => one.state !== "COMPLETED");
  if (open.length === 0) return false;
  const changes = await tasks.happenings({ scope, taskId: task.id, limit: mostChanges });
  const added = changes.filter(({ event, at }) => event === "DEPS_ADDED" && at >= changedAt);
  return open.some((one) => added.some(({ why }) => why === describeAdded(one.id)));
}

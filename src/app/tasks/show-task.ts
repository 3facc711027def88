import { type Run, readWaits } from "../../modules/sessions/index.ts";
import { describeWayOn, showResult, type TaskRun, type TaskStanding } from "../../modules/tasks/index.ts";

/** How a task stands, for whoever reads it. */
export interface ShowOptions {
  readonly trust: Run["trust"];
  /** Whether its result is new to the reader. */
  readonly isNew: boolean;
  readonly mostResultChars?: number;
}

/** Describes a task to the agent that asks about it. */
export function showTask(
  { task, run }: TaskRun,
  { trust, isNew, mostResultChars }: ShowOptions,
): TaskStanding {
  const { state, why } = run;
  const shown = { taskId: task.id, state, ...(why !== undefined && state !== "completed" && { why }), trust };
  const waitingFor = describeWaiting(run);
  const standing = { ...shown, ...(waitingFor !== undefined && { waitingFor }) };
  if (state === "pending" || state === "running" || state === "parked") return standing;
  if (!isNew) return { ...standing, told: true };
  const { text, rest } = showResult(run, mostResultChars);
  return { ...standing, result: `${text}${rest}` };
}

function describeWaiting(run: Run): string | undefined {
  if (run.state === "paused") return describeWayOn(run);
  if (run.state !== "parked") return undefined;
  const ids = readWaits(run.waitFor).flatMap((wait) => (wait.for === "approval" ? [wait.id] : []));
  if (ids.length > 0)
    return `a person has to answer ${ids.join(" and ")} (\`haft approvals\`); you are told when the task has ended, so go on without it or end your turn`;
  return run.why === "task" ? "tasks of its own" : "its model can't be asked yet";
}

import { TaskRunError } from "./errors.ts";

/** How many tasks agents may start. */
export interface TaskLimits {
  /** How deep tasks may begin tasks. @default 2 */
  readonly maxDepth: number;
  /** Tasks that are under way at once below one conversation. @default 5 */
  readonly maxActive: number;
  /** Tasks that one run may start in all. @default 8 */
  readonly maxChildren: number;
  /** Tasks that may be started or resumed below one conversation within an hour. @default 60 */
  readonly perHour: number;
}

/** The limits that hold where the configuration says nothing. */
export const defaultTaskLimits: TaskLimits = { maxDepth: 2, maxActive: 5, maxChildren: 8, perHour: 60 };

/** How many tasks there are of each kind that is limited. */
export interface StartCounts {
  /** The depth of the task that is to be started. */
  readonly depth: number;
  readonly active: number;
  readonly children: number;
  readonly lastHour: number;
}

const remedies: Readonly<Record<keyof TaskLimits, string>> = {
  maxDepth: "do this part yourself, or let the task above split the work",
  maxActive: "wait for one with task_wait, or end one with task_stop",
  maxChildren: "go on with one that has ended (resume_task), or do the rest yourself",
  perHour: "do the work yourself, or go on later",
};

/** @throws {TaskRunError} TASK_LIMIT names the limit, its setting and what can be done. */
export function checkLimits(limits: TaskLimits, counts: StartCounts): void {
  if (counts.depth > limits.maxDepth)
    throw tooMany("maxDepth", limits, `tasks may be nested ${limits.maxDepth} deep`);
  if (counts.active >= limits.maxActive)
    throw tooMany("maxActive", limits, `${counts.active} tasks of this conversation are under way`);
  if (counts.children >= limits.maxChildren)
    throw tooMany("maxChildren", limits, `this run has started ${counts.children} tasks`);
  if (counts.lastHour >= limits.perHour)
    throw tooMany("perHour", limits, `${counts.lastHour} tasks were started within the last hour`);
}

function tooMany(limit: keyof TaskLimits, limits: TaskLimits, found: string): TaskRunError {
  return new TaskRunError(
    "TASK_LIMIT",
    `Cannot start a task: ${found}, and agent.tasks.${limit} is ${limits[limit]}; ${remedies[limit]}`,
    { details: { limit, most: limits[limit] } },
  );
}

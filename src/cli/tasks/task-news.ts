import type { Records } from "../../app/index.ts";
import type { Task, TaskHappening, TaskState, Tasks } from "../../modules/tasks/index.ts";

/** What happened to a task that people want to know. */
export interface TaskNews {
  readonly task: Task;
  readonly happening: TaskHappening;
}

/** States that are news: the task is over, or waits for a person. */
const newsStates: readonly TaskState[] = [
  "COMPLETED",
  "FAILED",
  "BLOCKED",
  "WAITING_INPUT",
  "PAUSED",
  "AWAITING_APPROVAL",
  "AWAITING_PLAN_APPROVAL",
];

const mostAtOnce = 200;
/** Maximum number of changes that are read to find the first news. */
const mostBefore = 100;

/** The parts of an installation that tell news of tasks. */
export interface TaskNewsSource {
  readonly tasks: Pick<Tasks, "happenings" | "get">;
  readonly records: Pick<Records, "follow">;
  readonly scope: string;
}

/**
 * News of tasks in all processes, until the signal is aborted.
 *
 * @param from Unix ms: what happened before is no news. A moment that has just passed.
 */
export async function* followTasks(
  { tasks, records, scope }: TaskNewsSource,
  { from, signal }: { readonly from: number; readonly signal: AbortSignal },
): AsyncIterable<TaskNews> {
  const before = await tasks.happenings({ scope, limit: mostBefore });
  let since = before.find(({ at }) => at < from)?.seq ?? (before.at(-1)?.seq ?? 1) - 1;
  let isFirst = true;
  for await (const { events } of records.follow("now", signal)) {
    // Changes before the first answer have no event.
    if (!isFirst && !events.some(({ kind }) => kind === "task")) continue;
    isFirst = false;
    for (;;) {
      const happenings: readonly TaskHappening[] = await tasks.happenings({
        scope,
        since,
        limit: mostAtOnce,
      });
      for (const happening of happenings) {
        since = happening.seq;
        if (!isNews(happening)) continue;
        const task = await tasks.get(scope, happening.taskId);
        // A state that the task has left meanwhile, or leaves by itself, is no news.
        if (task === undefined || task.state !== happening.to || task.resumeAfter !== undefined) continue;
        yield { task, happening };
      }
      if (happenings.length < mostAtOnce) break;
    }
  }
}

function isNews({ from, to }: TaskHappening): boolean {
  return to !== undefined && to !== from && newsStates.includes(to);
}

import type { RunTree, Task, TaskNode, TaskRuns, Tasks } from "../../modules/tasks/index.ts";
import type { Spent } from "../../modules/usage/index.ts";

/** The parts of the store that the cost of a task is read from. */
export interface TaskCostStore {
  readonly tasks: Pick<Tasks, "tree" | "results">;
  readonly taskRuns: Pick<TaskRuns, "read">;
}

const deepestTree = 20;

/**
 * Adds up what models took for a task: for all its attempts, for its subtasks, and for the runs that any of these began.
 * Undefined if no run worked on it.
 */
export async function readTaskCost(
  { tasks, taskRuns }: TaskCostStore,
  { scope, id }: Task,
): Promise<Spent | undefined> {
  const family = listTasks(await tasks.tree(scope, id, deepestTree));
  const results = await Promise.all(family.map((task) => tasks.results(scope, task.id)));
  const named = [...family, ...results.flat()].flatMap(({ runId }) => runId ?? []);
  const sessionIds = new Set(family.flatMap(({ sessionId }) => sessionId ?? []));
  return taskRuns.read(async (tree) => {
    const runIds = await listRuns(tree, { scope, named, sessionIds });
    return runIds.length === 0 ? undefined : tree.spent({ scope, runIds });
  });
}

function listTasks({ task, children }: TaskNode): readonly Task[] {
  return [task, ...children.flatMap(listTasks)];
}

interface Attempts {
  readonly scope: string;
  /** Ids of runs that tasks and their results name. */
  readonly named: readonly string[];
  readonly sessionIds: Iterable<string>;
}

/** Lists the runs of attempts at tasks, and those below them. */
async function listRuns(tree: RunTree, { scope, named, sessionIds }: Attempts): Promise<readonly string[]> {
  const found = new Set(await tree.listBelow(scope, named));
  for (const sessionId of sessionIds)
    for (const runId of await tree.listPart({ scope, sessionId })) found.add(runId);
  return [...found];
}

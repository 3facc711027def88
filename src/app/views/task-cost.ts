import type { Run, Runs } from "../../modules/sessions/index.ts";
import type { Task, TaskNode, Tasks } from "../../modules/tasks/index.ts";
import type { Spent, Usage } from "../../modules/usage/index.ts";

/** The parts of the store that the cost of a task is read from. */
export interface TaskCostStore {
  readonly tasks: Pick<Tasks, "tree" | "results">;
  readonly runs: Pick<Runs, "get" | "list">;
  readonly usage: Pick<Usage, "spent">;
}

const deepestTree = 20;
/** Maximum number of runs that are read of one session, or of one tree of runs. */
const mostRuns = 1_000;

/**
 * Adds up what models took for a task: for all its attempts, for its subtasks, and for the runs that any of these began.
 * Undefined if no run worked on it.
 */
export async function readTaskCost(store: TaskCostStore, { scope, id }: Task): Promise<Spent | undefined> {
  const own = new Map<string, Run>();
  for (const task of listTasks(await store.tasks.tree(scope, id, deepestTree)))
    for (const run of await findRuns(store, task)) own.set(run.id, run);
  if (own.size === 0) return undefined;
  const roots = Map.groupBy(own.values(), ({ rootId }) => rootId);
  const sums = Array.from(roots, async ([rootId, runs]) => {
    if (own.has(rootId)) return store.usage.spent({ scope, rootId });
    const tree = await store.runs.list({ scope, rootId, limit: mostRuns });
    return store.usage.spent({ scope, rootId, runIds: findDescendants(runs, tree) });
  });
  return (await Promise.all(sums)).reduce(add);
}

function listTasks({ task, children }: TaskNode): readonly Task[] {
  return [task, ...children.flatMap(listTasks)];
}

/** The runs of all attempts at one task. */
async function findRuns({ tasks, runs }: TaskCostStore, task: Task): Promise<readonly Run[]> {
  const { scope, id, runId, sessionId } = task;
  const named = [runId, ...(await tasks.results(scope, id)).map((result) => result.runId)];
  const ids = new Set(named.filter((one) => one !== undefined));
  const found = await Promise.all(Array.from(ids, (one) => runs.get(scope, one)));
  const ofSession = sessionId === undefined ? [] : await runs.list({ scope, sessionId, limit: mostRuns });
  return [...found.filter((run) => run !== undefined), ...ofSession];
}

/** The ids of the given runs of a tree, and of all runs below them. */
function findDescendants(runs: readonly Run[], tree: readonly Run[]): readonly string[] {
  const ids = new Set(runs.map(({ id }) => id));
  const children = Map.groupBy(tree, ({ parentId }) => parentId);
  for (const id of ids) for (const child of children.get(id) ?? []) ids.add(child.id);
  return [...ids];
}

function add(sum: Spent, one: Spent): Spent {
  return {
    costMicros: sum.costMicros + one.costMicros,
    tokens: sum.tokens + one.tokens,
    steps: sum.steps + one.steps,
    ms: sum.ms + one.ms,
    unpricedModels: [...new Set([...sum.unpricedModels, ...one.unpricedModels])],
  };
}

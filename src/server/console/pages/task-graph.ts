import type { Task, TaskQuery, Tasks } from "../../../modules/tasks/index.ts";
import type { TaskGraph, TaskLine } from "../api/index.ts";

/** Nodes of one drawing. */
const mostNodes = 500;

/** @param depth @default 0 */
export function toLine({ id, title, state, stateAt, trust }: Task, depth = 0): TaskLine {
  return { id, title, state, stateAt, trust, depth };
}

/** The tasks that hang together with one by what they depend on, the nearest first. */
export async function readGraphAround(tasks: Tasks, { scope, id }: Task): Promise<TaskGraph> {
  const known = new Set([id]);
  const edges = new Map<string, readonly [string, string]>();
  let cut = false;
  let reached: readonly string[] = [id];
  while (reached.length > 0) {
    const near = await tasks.findEdges(scope, reached);
    const next: string[] = [];
    for (const [at, { dependsOn, blocks }] of near)
      for (const edge of [
        ...dependsOn.map((before) => [before, at] as const),
        ...blocks.map((after) => [at, after] as const),
      ]) {
        for (const end of edge) {
          if (known.has(end)) continue;
          if (known.size === mostNodes) cut = true;
          else {
            known.add(end);
            next.push(end);
          }
        }
        edges.set(edge.join(" "), edge);
      }
    reached = next;
  }
  const found = await Promise.all(Array.from(known, (one) => tasks.get(scope, one)));
  return keepWhole(
    found.filter((task) => task !== undefined),
    [...edges.values()],
    cut,
  );
}

/** The tasks that are not done and that others wait for, or that wait for others. */
export async function readOpenGraph(
  tasks: Tasks,
  query: Pick<TaskQuery, "scope" | "projectId">,
): Promise<TaskGraph> {
  const open = await tasks.list({ ...query, notStates: ["COMPLETED"], limit: mostNodes });
  const edges = await tasks.findEdges(
    query.scope,
    open.tasks.map(({ id }) => id),
  );
  const pairs = Array.from(edges, ([id, { dependsOn }]) => dependsOn.map((before) => [before, id] as const));
  const graph = keepWhole(open.tasks, pairs.flat(), open.next !== undefined);
  const tied = new Set(graph.edges.flat());
  return { ...graph, nodes: graph.nodes.filter(({ id }) => tied.has(id)) };
}

/** Leaves out edges of which an end is not there. */
function keepWhole(
  tasks: readonly Task[],
  edges: readonly (readonly [string, string])[],
  cut: boolean,
): TaskGraph {
  const ids = new Set(tasks.map(({ id }) => id));
  return {
    nodes: tasks.map((task) => toLine(task)),
    edges: edges.filter(([before, after]) => ids.has(before) && ids.has(after)),
    cut,
  };
}

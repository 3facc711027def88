import type { TaskView } from "../../../app/views/index.ts";
import type { Task, TaskNode } from "../../../modules/tasks/index.ts";
import type { Session } from "../../session.ts";
import { openTasks, requireTask, viewTasks } from "../../tasks/open-tasks.ts";
import { type SelectionOptions, toQuery } from "../../tasks/selection.ts";
import { renderTasks } from "../../tasks/task-table.ts";
import { countHidden, describeNone } from "./list.ts";

export interface TreeOptions extends SelectionOptions {
  readonly depth: number;
}

/** Maximum number of tasks that are shown as trees. */
const mostTasks = 1_000;

export async function showTree(
  session: Session,
  id: string | undefined,
  options: TreeOptions,
): Promise<void> {
  const { terminal } = session;
  const open = await openTasks(session);
  const { tasks } = open.store;
  const roots =
    id === undefined
      ? toForest((await tasks.list({ ...toQuery(open.scope, options), limit: mostTasks })).tasks)
      : [await tasks.tree(open.scope, (await requireTask(open, id)).id, options.depth)];
  const nodes = roots.flatMap(listNodes).filter(({ depth }) => depth <= options.depth);
  const now = Date.now();
  const views = await viewTasks(
    open,
    nodes.map(({ task }) => task),
    now,
  );
  if (session.asJson) {
    const byId = new Map(views.map((view) => [view.id, view]));
    terminal.json({ trees: roots.map((root) => toJson(root, byId)) });
    return;
  }
  if (views.length === 0) terminal.err(describeNone(await countHidden(open, options), options));
  else
    terminal.out(
      renderTasks(
        views.map((view, at) => ({ view, depth: nodes[at]?.depth ?? 0 })),
        terminal,
        now,
      ),
    );
}

/** Tasks below those that they are a part of; a task whose parent is not among them is a root. */
function toForest(tasks: readonly Task[]): readonly TaskNode[] {
  const ids = new Set(tasks.map(({ id }) => id));
  const children = Map.groupBy(tasks, ({ parentId }) => parentId);
  const toNode = (task: Task, depth: number): TaskNode => ({
    task,
    depth,
    children: (children.get(task.id) ?? []).map((child) => toNode(child, depth + 1)),
  });
  return tasks
    .filter(({ parentId }) => parentId === undefined || !ids.has(parentId))
    .map((task) => toNode(task, 0));
}

function listNodes(node: TaskNode): readonly TaskNode[] {
  return [node, ...node.children.flatMap(listNodes)];
}

interface TreeJson extends TaskView {
  readonly children: readonly TreeJson[];
}

function toJson({ task, children }: TaskNode, views: ReadonlyMap<string, TaskView>): TreeJson {
  const own = children.filter((child) => views.has(child.task.id));
  return { ...(views.get(task.id) as TaskView), children: own.map((child) => toJson(child, views)) };
}

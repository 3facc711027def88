import { oneLine } from "../../../base/index.ts";
import type { Task, TaskNode } from "../store/tasks.ts";

/** The ids on both sides of a task's edges. */
export type EdgeIds = ReadonlyMap<
  string,
  { readonly dependsOn: readonly string[]; readonly blocks: readonly string[] }
>;

export interface TreeOptions {
  /** Shows roots alone, each with the count of its subtasks. */
  readonly isCompact: boolean;
  readonly edges?: EdgeIds;
}

/** Tasks of a list as text: below each task those of its subtasks that are in the list too. */
export function formatForest(tasks: readonly Task[], options: TreeOptions): string {
  const listed = new Set(tasks.map(({ id }) => id));
  const children = Map.groupBy(tasks, ({ parentId }) => parentId);
  const toNode = (task: Task, depth: number): TaskNode => ({
    task,
    depth,
    children: (children.get(task.id) ?? []).map((child) => toNode(child, depth + 1)),
  });
  const roots = tasks.filter(({ parentId }) => parentId === undefined || !listed.has(parentId));
  return roots.map((root) => formatTree(toNode(root, 0), options)).join("\n");
}

/** A task and its subtasks as text, one line each. */
export function formatTree(root: TaskNode, options: TreeOptions): string {
  if (!options.isCompact) return listLines(root, "", "", options).join("\n");
  const { done, total } = countSubtasks(root);
  const count = total === 0 ? "" : ` ${formatBar(done, total)}`;
  return `${formatLine(root.task, options)}${count}`;
}

function listLines(node: TaskNode, own: string, below: string, options: TreeOptions): readonly string[] {
  const last = node.children.length - 1;
  return [
    own + formatLine(node.task, options),
    ...node.children.flatMap((child, at) =>
      listLines(
        child,
        `${below}${at === last ? "└─ " : "├─ "}`,
        `${below}${at === last ? "   " : "│  "}`,
        options,
      ),
    ),
  ];
}

function formatLine({ id, title, state }: Task, { edges }: TreeOptions): string {
  const needs = edges?.get(id)?.dependsOn ?? [];
  return `${id} [${state}] ${oneLine(title)}${needs.length === 0 ? "" : ` ← needs ${needs.join(", ")}`}`;
}

/** Counts the tasks below one, and how many of them are completed. */
export function countSubtasks({ children }: TaskNode): { readonly done: number; readonly total: number } {
  let done = 0;
  let total = 0;
  for (const child of children) {
    const below = countSubtasks(child);
    done += below.done + (child.task.state === "COMPLETED" ? 1 : 0);
    total += below.total + 1;
  }
  return { done, total };
}

const barWidth = 10;

/** `[####------] 4/10` */
export function formatBar(done: number, total: number): string {
  const filled = total === 0 ? 0 : Math.floor((done / total) * barWidth);
  return `[${"#".repeat(filled)}${"-".repeat(barWidth - filled)}] ${done}/${total}`;
}

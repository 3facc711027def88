import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import type { Task, TaskNode } from "../../store/tasks.ts";
import { readsTasks } from "../effects.ts";
import { countSubtasks, formatBar, formatTree } from "../format-tree.ts";
import { reading, taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";
import { showLink } from "../show-task.ts";

const parameters = z.strictObject({
  task_id: taskId,
  compact: z.boolean().default(false).describe("Show the task alone, with a bar for its subtasks"),
  max_depth: z.int().min(1).max(20).default(4),
  show_dependencies: z.boolean().default(false).describe("Name what each task depends on"),
});

export function getTaskTreeTool({ tasks }: QueueServices): Tool {
  return defineTool({
    name: "get_task_tree",
    title: "Show a tree of tasks",
    description: "Show a task with its subtasks as a tree, and how many of them are completed.",
    category: "system",
    parameters,
    annotations: reading,
    maxOutputChars: 100_000,
    effects: readsTasks,
    async execute({ task_id: id, compact, max_depth: depth, show_dependencies: withEdges }, { scope }) {
      const tree = await tasks.tree(scope, id, depth);
      const all = [...listTasks(tree)];
      const edges = withEdges
        ? await tasks.findEdges(
            scope,
            all.map((task) => task.id),
          )
        : undefined;
      const { done, total } = countSubtasks(tree);
      const below = all.filter((task) => task !== tree.task);
      const data = {
        root: showLink(tree.task),
        formatted: formatTree(tree, { isCompact: compact, ...(edges !== undefined && { edges }) }),
        subtask_completed: done,
        subtask_total: total,
        subtask_by_status: countStates(below),
        ...(total > 0 && { progress_bar: formatBar(done, total) }),
      };
      return labelledContent(data, compact ? [tree.task] : all);
    },
  });
}

function* listTasks({ task, children }: TaskNode): Iterable<Task> {
  yield task;
  for (const child of children) yield* listTasks(child);
}

function countStates(tasks: readonly Task[]): Readonly<Record<string, number>> {
  const byState = Map.groupBy(tasks, ({ state }) => state);
  return Object.fromEntries(Array.from(byState, ([state, some]) => [state, some.length]));
}

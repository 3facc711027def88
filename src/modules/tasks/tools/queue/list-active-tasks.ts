import { z } from "zod";
import { withoutUndefined } from "../../../../base/index.ts";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import type { TaskCounts } from "../../store/tasks.ts";
import { readsTasks } from "../effects.ts";
import { cursor, reading } from "../parameters.ts";
import type { QueueServices } from "../services.ts";
import { showRow } from "../show-task.ts";

const parameters = z.strictObject({
  include_completed: z.boolean().default(false).describe("Also completed tasks"),
  limit: z.int().min(1).max(200).default(200),
  cursor,
});

export function listActiveTasksTool({ tasks }: QueueServices): Tool {
  return defineTool({
    name: "list_active_tasks_all_projects",
    title: "List tasks of all projects",
    description: "List the tasks of all projects that are not completed, most urgent first, and by project.",
    category: "system",
    parameters,
    annotations: reading,
    maxOutputChars: 100_000,
    effects: readsTasks,
    async execute({ include_completed: withCompleted, limit, cursor: from }, { scope }) {
      const query = { scope, ...(!withCompleted && { notStates: ["COMPLETED"] as const }) };
      const page = await tasks.list({ ...query, limit, ...withoutUndefined({ cursor: from }) });
      const counts = await tasks.countByProject({ scope });
      const countShown = (of: TaskCounts) => sum(of) - (withCompleted ? 0 : (of.COMPLETED ?? 0));
      const byProject = Map.groupBy(page.tasks, ({ projectId }) => projectId);
      const data = {
        by_project: Object.fromEntries(
          Array.from(byProject, ([project, some]) => [project, some.map(({ id }) => id)]),
        ),
        tasks: page.tasks.map((task) => ({ ...showRow(task), project_id: task.projectId })),
        total: page.total,
        project_count: Array.from(counts.values()).filter((of) => countShown(of) > 0).length,
        hidden_completed: withCompleted
          ? 0
          : Array.from(counts.values()).reduce((all, of) => all + (of.COMPLETED ?? 0), 0),
        ...(page.next !== undefined && { next_cursor: page.next }),
      };
      return labelledContent(data, page.tasks);
    },
  });
}

function sum(counts: TaskCounts): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { readsTasks } from "../effects.ts";
import { reading, taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";
import { showLink } from "../show-task.ts";

const parameters = z.strictObject({ task_id: taskId });

export function getTaskDependenciesTool({ tasks }: QueueServices): Tool {
  return defineTool({
    name: "get_task_dependencies",
    title: "Show a task's dependencies",
    description: "Show what a task depends on, and which tasks depend on it.",
    category: "system",
    parameters,
    annotations: reading,
    effects: readsTasks,
    async execute({ task_id: id }, { scope }) {
      const task = await tasks.require(scope, id);
      const { dependsOn, blocks } = await tasks.edges(scope, id);
      const data = {
        task_id: id,
        title: task.title,
        status: task.state,
        depends_on: dependsOn.map(showLink),
        blocks: blocks.map(showLink),
      };
      return labelledContent(data, [task, ...dependsOn, ...blocks]);
    },
  });
}

import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { readsTasks } from "../effects.ts";
import { reading, taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";
import { listLabels, readWholeTask, showWholeTask } from "../show-whole-task.ts";

const parameters = z.strictObject({ task_id: taskId });

export function getTaskTool({ tasks }: QueueServices): Tool {
  return defineTool({
    name: "get_task",
    title: "Show a task",
    description:
      "Show a task whole: description, state, feedback and attachments, subtasks, what it depends on and blocks, and its last result.",
    category: "system",
    parameters,
    annotations: reading,
    maxOutputChars: 150_000,
    effects: readsTasks,
    async execute({ task_id: id }, { scope }) {
      const whole = await readWholeTask(tasks, scope, id);
      return labelledContent(showWholeTask(whole), listLabels(whole));
    },
  });
}

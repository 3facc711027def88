import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { deletesTask } from "../effects.ts";
import { findActor } from "../find-actor.ts";
import { taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";

const parameters = z.strictObject({
  task_id: taskId,
  force: z
    .boolean()
    .default(false)
    .describe("Also where other tasks depend on it: they do not depend on it any more"),
});

export function deleteTaskTool({ tasks }: QueueServices): Tool {
  return defineTool({
    name: "delete_task",
    title: "Delete a task",
    description:
      "Delete a task for good, with its notes and results. archive_task keeps them. A task in progress has to be stopped first.",
    category: "system",
    parameters,
    annotations: { destructive: true, openWorld: false },
    verify: "look whether the task is still there",
    effects: ({ task_id: id }) => deletesTask(id),
    async execute({ task_id: id, force }, context) {
      const by = findActor(context);
      const task = await tasks.delete(context.scope, id, { force, ...(by !== undefined && { by }) });
      return labelledContent({ deleted: id, title: task.title }, [task]);
    },
  });
}

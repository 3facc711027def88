import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { changesTask } from "../effects.ts";
import { findActor } from "../find-actor.ts";
import { changing, taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";

const parameters = z.strictObject({ task_id: taskId });

export function restoreTaskTool({ tasks }: QueueServices): Tool {
  return defineTool({
    name: "restore_task",
    title: "Restore an archived task",
    description:
      "Take a task out of the archive, with what it depends on. It is to be done again: DEFINED while it waits for others, else READY.",
    category: "system",
    parameters,
    annotations: changing,
    verify: "look whether the task is still archived",
    effects: ({ task_id: id }) => changesTask(id),
    async execute({ task_id: id }, context) {
      const task = await tasks.restore(context.scope, id, findActor(context));
      return labelledContent({ restored: id, title: task.title, new_status: task.state }, [task]);
    },
  });
}

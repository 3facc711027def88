import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { changesTask } from "../effects.ts";
import { changing, taskId } from "../parameters.ts";
import { restart } from "../restart.ts";
import type { QueueServices } from "../services.ts";

const parameters = z.strictObject({ task_id: taskId });

export function restartTaskTool(services: QueueServices): Tool {
  return defineTool({
    name: "restart_task",
    title: "Restart a task",
    description:
      "Put a task that ended, stopped or waits back to READY, with all its retries. A task in progress has to be stopped first.",
    category: "system",
    parameters,
    annotations: changing,
    verify: "look at the task's state",
    effects: ({ task_id: id }) => changesTask(id),
    async execute({ task_id: id }, context) {
      const { before, after } = await restart(services, id, { why: "restarted by restart_task" }, context);
      return labelledContent({ restarted: id, title: after.title, previous_status: before.state }, [after]);
    },
  });
}

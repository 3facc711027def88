import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { type TaskRunServices, toCaller } from "./services.ts";

const parameters = z.strictObject({
  taskId: z.string().min(1).max(200).describe("The id of the task"),
});

export function taskStopTool({ taskDesk }: TaskRunServices): Tool {
  return defineTool({
    name: "task_stop",
    title: "Stop a task",
    description:
      "Stop a task that you started, with the tasks that it started. What it did so far stays, and resume_task goes on with it. Returns {stopped}: false if it had ended.",
    category: "system",
    parameters,
    annotations: { destructive: false, idempotent: true, openWorld: false },
    async execute({ taskId }, context) {
      return { stopped: await taskDesk.stop(taskId, toCaller(context)) };
    },
  });
}

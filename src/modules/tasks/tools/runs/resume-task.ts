import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { showStanding, type TaskRunServices, toCaller, toContent } from "./services.ts";

const parameters = z.strictObject({
  task_id: z.string().min(1).max(200).describe("The id of the task"),
  input: z.string().trim().min(1).max(50_000).describe("What it is to do now, or to know"),
});

export function resumeTaskTool({ taskDesk }: TaskRunServices): Tool {
  return defineTool({
    name: "resume_task",
    title: "Go on with a task",
    description:
      "Go on with a task that paused, ended or was stopped: it remembers what it did. A task that is under way reads what you say at its next step. Returns {taskId, state}.",
    category: "system",
    parameters,
    annotations: { destructive: false, idempotent: true, openWorld: false },
    async execute({ task_id, input }, context) {
      const standing = await taskDesk.resume(task_id, input, toCaller(context));
      return toContent(showStanding(standing), [standing.trust]);
    },
  });
}

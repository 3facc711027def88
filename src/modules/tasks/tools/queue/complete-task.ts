import { z } from "zod";
import { withoutUndefined } from "../../../../base/index.ts";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import type { Task } from "../../store/tasks.ts";
import { changesTask } from "../effects.ts";
import { changing, longText, taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";
import { showLink } from "../show-task.ts";
import { listUnblocked } from "../unblocked.ts";

const parameters = z.strictObject({
  task_id: taskId,
  lease: z.string().min(1).max(200).describe("The lease that claim_task gave"),
  outcome: z.enum(["completed", "failed"]).default("completed"),
  summary: longText.describe("What was done, for those who depend on it"),
  files_changed: z.array(z.string().min(1).max(4096)).max(1_000).optional(),
  error: longText.optional().describe("Why it failed"),
});

export function completeTaskTool({ tasks }: QueueServices): Tool {
  return defineTool({
    name: "complete_task",
    title: "End a task",
    description:
      "End a task that you took with claim_task, and say what it came to. A failed task is READY again until its retries are used, then BLOCKED.",
    category: "system",
    parameters,
    annotations: changing,
    verify: "look at the task's result",
    effects: ({ task_id: id }) => changesTask(id),
    async execute({ task_id: id, lease, outcome, summary, files_changed: filesChanged, error }, context) {
      const { scope, trust } = context;
      let ended: Task | undefined;
      const unblocked = await listUnblocked(tasks, scope, id, async () => {
        const result = {
          outcome,
          summary,
          ...(trust === "untrusted" && { trust }),
          ...withoutUndefined({ filesChanged, error }),
        };
        ended = await tasks.end({ scope, id, lease, result });
        return ended;
      });
      const task = ended ?? (await tasks.require(scope, id));
      const data = {
        ended: id,
        title: task.title,
        outcome,
        status: task.state,
        ...(outcome === "failed" && { retries: `${task.retries} / ${task.maxRetries}` }),
        ...(unblocked.length > 0 && { unblocked: unblocked.map(showLink) }),
      };
      return labelledContent(data, [task, ...unblocked]);
    },
  });
}

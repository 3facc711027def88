import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { changesTask } from "../effects.ts";
import { findActor } from "../find-actor.ts";
import { changing, taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";

const parameters = z.strictObject({
  task_id: taskId,
  depends_on: taskId.describe("The id of the task that it need not wait for any more"),
});

export function removeDependencyTool({ tasks }: QueueServices): Tool {
  return defineTool({
    name: "remove_dependency",
    title: "Remove a dependency",
    description: "Let a task no longer wait for another one. It is READY if that was the last it waited for.",
    category: "system",
    parameters,
    annotations: changing,
    verify: "look at the task's dependencies",
    effects: ({ task_id: id }) => changesTask(id),
    async execute({ task_id: id, depends_on: dependsOn }, context) {
      const { scope } = context;
      await tasks.removeDependency(scope, id, dependsOn, findActor(context));
      const task = await tasks.require(scope, id);
      const data = {
        ok: true,
        task_id: id,
        removed_dependency: dependsOn,
        task_title: task.title,
        status: task.state,
      };
      return labelledContent(data, [task]);
    },
  });
}

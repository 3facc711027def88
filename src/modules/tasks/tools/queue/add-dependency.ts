import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { changesTask } from "../effects.ts";
import { findActor } from "../find-actor.ts";
import { changing, taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";

const parameters = z.strictObject({
  task_id: taskId,
  depends_on: taskId.describe("The id of the task that has to be completed before"),
});

export function addDependencyTool({ tasks }: QueueServices): Tool {
  return defineTool({
    name: "add_dependency",
    title: "Add a dependency",
    description:
      "Make a task wait for another one. A READY task is DEFINED until that is completed. Cycles are refused.",
    category: "system",
    parameters,
    annotations: changing,
    verify: "look at the task's dependencies",
    effects: ({ task_id: id }) => changesTask(id),
    async execute({ task_id: id, depends_on: dependsOn }, context) {
      const { scope } = context;
      await tasks.addDependency(scope, id, dependsOn, findActor(context));
      const task = await tasks.require(scope, id);
      const other = await tasks.require(scope, dependsOn);
      const data = {
        ok: true,
        task_id: id,
        depends_on: dependsOn,
        task_title: task.title,
        depends_on_title: other.title,
        status: task.state,
      };
      return labelledContent(data, [task, other]);
    },
  });
}

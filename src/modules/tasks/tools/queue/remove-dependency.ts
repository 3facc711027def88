import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { changesTask } from "../effects.ts";
import { findActor } from "../find-actor.ts";
import { changing, taskId } from "../parameters.ts";
import { createPersonGate, findUnapproved, unapprovedRisk } from "../person-gate.ts";
import type { QueueServices } from "../services.ts";

const parameters = z.strictObject({
  task_id: taskId,
  depends_on: taskId.describe("The id of the task that it need not wait for any more"),
});

export function removeDependencyTool({ tasks }: QueueServices): Tool {
  const gate = createPersonGate<z.output<typeof parameters>>({
    tool: "remove_dependency",
    effects: ({ task_id: id }) => changesTask(id),
    risk: unapprovedRisk,
    async findRefusal({ task_id: id, depends_on: dependsOn }, scope) {
      const task = await tasks.get(scope, id);
      const edges = task && (await tasks.edges(scope, id));
      const upstream = edges?.dependsOn.find((one) => one.id === dependsOn);
      const unapproved = upstream && (await findUnapproved(tasks, scope, [upstream]));
      if (unapproved === undefined) return undefined;
      return `Cannot let task '${id}' go on without '${dependsOn}' for an agent: a person has to approve '${unapproved.id}' first; a person can remove the dependency, with \`haft call remove_dependency\``;
    },
  });
  return defineTool({
    name: "remove_dependency",
    title: "Remove a dependency",
    description: "Let a task no longer wait for another one. It is READY if that was the last it waited for.",
    category: "system",
    parameters,
    annotations: changing,
    verify: "look at the task's dependencies",
    effects: gate.effects,
    check: gate.check,
    async execute(params, context) {
      const { task_id: id, depends_on: dependsOn } = params;
      await gate.require(params, context);
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

import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { deletesTask } from "../effects.ts";
import { findActor } from "../find-actor.ts";
import { taskId } from "../parameters.ts";
import { createPersonGate, findUnapproved, unapprovedRisk } from "../person-gate.ts";
import type { QueueServices } from "../services.ts";

const parameters = z.strictObject({
  task_id: taskId,
  force: z
    .boolean()
    .default(false)
    .describe("Also where other tasks depend on it: they do not depend on it any more"),
});

export function deleteTaskTool({ tasks }: QueueServices): Tool {
  const gate = createPersonGate<z.output<typeof parameters>>({
    tool: "delete_task",
    effects: ({ task_id: id }) => deletesTask(id),
    risk: unapprovedRisk,
    async findRefusal({ task_id: id, force }, scope) {
      const task = await tasks.get(scope, id);
      if (!force || task === undefined || (await tasks.edges(scope, id)).blocks.length === 0)
        return undefined;
      const unapproved = await findUnapproved(tasks, scope, [task]);
      if (unapproved === undefined) return undefined;
      return `Cannot delete task '${id}' for an agent: a person has to approve '${unapproved.id}' before the tasks that depend on it go on; a person can delete it, with \`haft call delete_task\``;
    },
  });
  return defineTool({
    name: "delete_task",
    title: "Delete a task",
    description:
      "Delete a task for good, with its notes and results. archive_task keeps them. A task in progress has to be stopped first.",
    category: "system",
    parameters,
    annotations: { destructive: true, openWorld: false },
    verify: "look whether the task is still there",
    effects: gate.effects,
    check: gate.check,
    async execute(params, context) {
      const { task_id: id, force } = params;
      await gate.require(params, context);
      const by = findActor(context);
      const task = await tasks.delete(context.scope, id, { force, ...(by !== undefined && { by }) });
      return labelledContent({ deleted: id, title: task.title }, [task]);
    },
  });
}

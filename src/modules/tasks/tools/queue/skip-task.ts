import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { TaskError } from "../../store/errors.ts";
import { findNextState } from "../../store/states.ts";
import { changesTask } from "../effects.ts";
import { describeActor, findActor } from "../find-actor.ts";
import { changing, taskId } from "../parameters.ts";
import { createPersonGate, findUnapproved, unapprovedRisk } from "../person-gate.ts";
import type { QueueServices } from "../services.ts";
import { showLink } from "../show-task.ts";
import { listUnblocked } from "../unblocked.ts";

const parameters = z.strictObject({ task_id: taskId });

export function skipTaskTool({ tasks }: QueueServices): Tool {
  const gate = createPersonGate<z.output<typeof parameters>>({
    tool: "skip_task",
    effects: ({ task_id: id }) => changesTask(id),
    risk: unapprovedRisk,
    async findRefusal({ task_id: id }, scope) {
      const task = await tasks.get(scope, id);
      if (task === undefined || findNextState(task.state, "ADMIN_SKIP") === undefined) return undefined;
      const unapproved = await findUnapproved(tasks, scope, [task]);
      if (unapproved === undefined) return undefined;
      return `Cannot skip task '${id}' for an agent: a person has to approve '${unapproved.id}' before others go on; a person can skip it, with \`haft tasks skip ${id}\``;
    },
  });
  return defineTool({
    name: "skip_task",
    title: "Skip a task",
    description:
      "Let others go on without a blocked or failed task. It counts as COMPLETED, and its result says that it was skipped.",
    category: "system",
    parameters,
    annotations: changing,
    verify: "look at the task's state",
    effects: gate.effects,
    check: gate.check,
    async execute(params, context) {
      const { task_id: id } = params;
      const { scope } = context;
      const { state } = await tasks.require(scope, id);
      if (findNextState(state, "ADMIN_SKIP") === undefined)
        throw new TaskError(
          "QUEUE_TASK_STATE",
          `Only blocked/failed tasks can be skipped (status: ${state})`,
          {
            details: { state },
          },
        );
      await gate.require(params, context);
      const by = findActor(context);
      const unblocked = await listUnblocked(tasks, scope, id, () =>
        tasks.apply(scope, id, "ADMIN_SKIP", {
          why: `skipped ${describeActor(context)}`,
          ...(by !== undefined && { by }),
        }),
      );
      const data = {
        skipped: id,
        unblocked_count: unblocked.length,
        unblocked: unblocked.map(showLink),
      };
      return labelledContent(data, unblocked);
    },
  });
}

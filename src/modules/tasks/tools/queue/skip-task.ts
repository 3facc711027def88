import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { TaskError } from "../../store/errors.ts";
import { findNextState } from "../../store/states.ts";
import { changesTask } from "../effects.ts";
import { findActor } from "../find-actor.ts";
import { changing, taskId } from "../parameters.ts";
import { awaitsPerson, requirePerson } from "../person.ts";
import type { QueueServices } from "../services.ts";
import { showLink } from "../show-task.ts";
import { listUnblocked } from "../unblocked.ts";

const parameters = z.strictObject({ task_id: taskId });

export function skipTaskTool({ tasks }: QueueServices): Tool {
  return defineTool({
    name: "skip_task",
    title: "Skip a task",
    description:
      "Let others go on without a blocked or failed task. It counts as COMPLETED, and its result says that it was skipped.",
    category: "system",
    parameters,
    annotations: changing,
    verify: "look at the task's state",
    effects: ({ task_id: id }) => changesTask(id),
    async execute({ task_id: id }, context) {
      const { scope } = context;
      const task = await tasks.require(scope, id);
      const { state } = task;
      if (findNextState(state, "ADMIN_SKIP") === undefined)
        throw new TaskError(
          "QUEUE_TASK_STATE",
          `Only blocked/failed tasks can be skipped (status: ${state})`,
          {
            details: { state },
          },
        );
      if (awaitsPerson(task))
        requirePerson(
          "skip_task",
          context,
          `Cannot skip task '${id}' for an agent: a person has to approve it before others go on; one does it by \`haft tasks skip ${id}\``,
        );
      const by = findActor(context);
      const unblocked = await listUnblocked(tasks, scope, id, () =>
        tasks.apply(scope, id, "ADMIN_SKIP", {
          why: "skipped by skip_task",
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

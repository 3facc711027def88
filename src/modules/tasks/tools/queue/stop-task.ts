import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { TaskError } from "../../store/errors.ts";
import { changesTask } from "../effects.ts";
import { describeActor, findActor } from "../find-actor.ts";
import { changing, taskId } from "../parameters.ts";
import type { QueueServices } from "../services.ts";

const parameters = z.strictObject({ task_id: taskId });

export function stopTaskTool({ tasks, stopRun }: QueueServices): Tool {
  return defineTool({
    name: "stop_task",
    title: "Stop a task",
    description:
      "Stop a task that is in progress, or of which an agent waits for a person. It is BLOCKED then, whoever works on it can't complete it any more, and its open questions are taken back. restart_task begins it anew.",
    category: "system",
    parameters,
    annotations: changing,
    verify: "look at the task's state",
    effects: ({ task_id: id }) => changesTask(id),
    async execute({ task_id: id }, context) {
      const { scope } = context;
      const task = await tasks.require(scope, id);
      const { runId } = task;
      const why = `stopped ${describeActor(context)}`;
      const isStopped = runId !== undefined && (await stopRun?.(scope, runId, why)) === true;
      if (!isStopped && task.state !== "IN_PROGRESS")
        throw new TaskError("QUEUE_TASK_STATE", `Task '${id}' is not in progress (status: ${task.state})`, {
          details: { state: task.state },
        });
      // The end of the run may have stopped the task already.
      const { state } = await tasks.require(scope, id);
      if (state === "IN_PROGRESS") {
        const by = findActor(context);
        await tasks.apply(scope, id, "ADMIN_STOP", {
          why,
          ...(by !== undefined && { by }),
          result: { outcome: "stopped" },
        });
      }
      return { stopped: id };
    },
  });
}

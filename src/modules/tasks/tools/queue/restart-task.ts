import { z } from "zod";
import { defineTool, labelledContent, type Tool } from "../../../../kernel/index.ts";
import { describeActor } from "../find-actor.ts";
import { changing, taskId } from "../parameters.ts";
import { createRestartGate, restart } from "../restart.ts";
import type { QueueServices } from "../services.ts";

const parameters = z.strictObject({ task_id: taskId });

export function restartTaskTool(services: QueueServices): Tool {
  const gate = createRestartGate<z.output<typeof parameters>>(services.tasks, "restart_task");
  return defineTool({
    name: "restart_task",
    title: "Restart a task",
    description:
      "Put a task that ended, stopped or waits back to READY, with all its retries. A task in progress has to be stopped first.",
    category: "system",
    parameters,
    annotations: changing,
    verify: "look at the task's state",
    effects: gate.effects,
    check: gate.check,
    async execute(params, context) {
      const { task_id: id } = params;
      await gate.require(params, context);
      const { before, after } = await restart(
        services,
        id,
        { why: `restarted ${describeActor(context)}` },
        context,
      );
      return labelledContent({ restarted: id, title: after.title, previous_status: before.state }, [after]);
    },
  });
}

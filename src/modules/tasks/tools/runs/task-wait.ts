import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { mostOutputChars, showStanding, type TaskRunServices, toCaller, toContent } from "./services.ts";

/** Keeps the deadline of a call from coming before its wait is over. */
export const waitSlackMs = 65_000;

const parameters = z.strictObject({
  taskIds: z.array(z.string().min(1).max(200)).min(1).max(20).describe("The ids of the tasks"),
  seconds: z.number().min(1).max(300).default(60).describe("How long to wait at most"),
  all: z.boolean().default(false).describe("Whether to wait for all of them. By default for the first"),
});

export function taskWaitTool({ taskDesk }: TaskRunServices): Tool {
  return defineTool({
    name: "task_wait",
    title: "Wait for tasks",
    description:
      "Wait until a task has ended, or all of them. Returns {tasks: [{taskId, state, why?, result?, waitingFor?}]}, at once where one waits for a person or has paused. A result is given once: here, or as a note. You need not wait: you are told when a task has ended.",
    category: "system",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    mayRepeat: true,
    maxOutputChars: mostOutputChars,
    timeoutMs: ({ seconds }) => seconds * 1000 + waitSlackMs,
    async execute({ taskIds, seconds, all }, context) {
      const tasks = await taskDesk.wait([...new Set(taskIds)], { seconds, all }, toCaller(context));
      return toContent(
        { tasks: tasks.map(showStanding) },
        tasks.map(({ trust }) => trust),
      );
    },
  });
}

import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { runStates } from "../../../sessions/index.ts";
import { type TaskRunServices, toCaller, toContent } from "./services.ts";

const parameters = z.strictObject({
  date: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .optional()
    .describe("The day on which they were started, YYYY-MM-DD. By default today"),
  state: z.enum(runStates).optional().describe("Only tasks in this state"),
  limit: z.int().min(1).max(200).default(50).describe("How many at most, the newest first"),
});

export function taskListTool({ taskDesk }: TaskRunServices): Tool {
  return defineTool({
    name: "task_list",
    title: "List tasks",
    description:
      "List the tasks that agents were given on a day, the newest first: {tasks: [{taskId, description, state, startedAt, steps, costUsd, agent}]}. task_replay shows what was said in one.",
    category: "data",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    mayRepeat: true,
    async execute(query, context) {
      const listed = await taskDesk.list(query, toCaller(context));
      const tasks = listed.map(({ taskId, description, state, startedAt, steps, costUsd, agent }) => ({
        taskId,
        description,
        state,
        startedAt: new Date(startedAt).toISOString(),
        steps,
        costUsd: costUsd ?? null,
        agent,
      }));
      return toContent(
        { tasks },
        listed.map(({ trust }) => trust),
      );
    },
  });
}

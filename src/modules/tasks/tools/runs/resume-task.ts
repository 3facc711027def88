import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import type { Task } from "../../store/tasks.ts";
import { createRestartGate } from "../restart.ts";
import { showStanding, type TaskRunServices, toCaller, toContent } from "./services.ts";

const parameters = z.strictObject({
  task_id: z.string().min(1).max(200).describe("The id of the task"),
  input: z.string().trim().min(1).max(50_000).describe("What it is to do now, or to know"),
});

/** States of a task that somebody works on: what it is told begins nothing. */
const underWay: readonly string[] = [
  "ASSIGNED",
  "IN_PROGRESS",
  "WAITING_INPUT",
] satisfies readonly Task["state"][];

export function resumeTaskTool({ taskDesk, tasks }: TaskRunServices): Tool {
  const gate = createRestartGate<z.output<typeof parameters>>(
    tasks,
    "resume_task",
    ({ state }) => !underWay.includes(state),
  );
  return defineTool({
    name: "resume_task",
    title: "Go on with a task",
    description:
      "Go on with a task that paused, ended or was stopped: it remembers what it did. A task that is under way reads what you say at its next step. Returns {taskId, state}.",
    category: "system",
    parameters,
    annotations: { destructive: false, idempotent: true, openWorld: false },
    // Only what a person has to confirm is an effect: the task's own calls are decided one by one.
    effects: async (params, context) =>
      (await gate.effects(params, context)).filter(({ confirm }) => confirm === true),
    check: gate.check,
    async execute(params, context) {
      const { task_id, input } = params;
      await gate.require(params, context);
      const standing = await taskDesk.resume(task_id, input, toCaller(context));
      return toContent(showStanding(standing), [standing.trust]);
    },
  });
}

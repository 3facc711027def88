import { z } from "zod";
import { defineTool, type Tool, ToolContent } from "../../../../kernel/index.ts";
import { type TaskRunServices, toCaller } from "./services.ts";

const parameters = z.strictObject({
  taskId: z.string().min(1).max(200).describe("The id of the task"),
  from: z.int().min(1).default(1).describe("The number of the first line, as `next` of the page before says"),
  limit: z.int().min(1).max(1000).default(100).describe("How many lines at most"),
});

export function taskReplayTool({ taskDesk }: TaskRunServices): Tool {
  return defineTool({
    name: "task_replay",
    title: "Show a task",
    description:
      "Show what was said and done in a task, in order: its messages, and each call as one line. Says at which line to go on.",
    category: "data",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    mayRepeat: true,
    async execute({ taskId, from, limit }, context) {
      const { lines, next, trust } = await taskDesk.replay(taskId, { from, limit }, toCaller(context));
      const shown = lines.map(({ n, from: who, text }) => `${n}. ${who}: ${text}`);
      const end = next === undefined ? "[This is the end.]" : `[Continue with from: ${next}.]`;
      return new ToolContent(
        [{ type: "text", text: [...shown, end].join("\n") }],
        { taskId, lines, ...(next !== undefined && { next }) },
        trust === "untrusted" ? trust : undefined,
        { textIsWhole: true },
      );
    },
  });
}

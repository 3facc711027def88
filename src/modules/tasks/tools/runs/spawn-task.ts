import { z } from "zod";
import { defineTool, type Tool } from "../../../../kernel/index.ts";
import { mostOutputChars, showStanding, type TaskRunServices, toCaller, toContent } from "./services.ts";
import { waitSlackMs } from "./task-wait.ts";

const budget = z.strictObject({
  usd: z.number().positive().max(1_000_000).optional().describe("US dollars"),
  tokens: z.int().min(1).max(1_000_000_000).optional().describe("Tokens of requests and answers together"),
  steps: z.int().min(1).max(10_000).optional().describe("Answers of the model"),
});

const parameters = z.strictObject({
  description: z.string().trim().min(1).max(200).describe("What the task is, in a few words"),
  input: z
    .string()
    .trim()
    .min(1)
    .max(50_000)
    .describe("All that it needs to know: it sees nothing of this conversation"),
  agent: z.string().min(1).max(128).optional().describe("The agent that does it. By default one like you"),
  wait: z
    .number()
    .min(0)
    .max(300)
    .default(0)
    .describe("Seconds to wait for its result. By default you go on, and are told when it has ended"),
  budget: budget.optional().describe("The most that it may spend, out of what you may spend yourself"),
});

export function spawnTaskTool({ taskDesk }: TaskRunServices): Tool {
  return defineTool({
    name: "spawn_task",
    title: "Start a task",
    description:
      "Give a piece of work to another agent, which does it in the background with a conversation of its own. Returns {taskId, state, result?}. Its result comes to you as a note once it has ended; task_wait waits for it. Start several at once for work that is independent.",
    category: "system",
    parameters,
    annotations: { destructive: false, idempotent: true, openWorld: false },
    maxOutputChars: mostOutputChars,
    timeoutMs: ({ wait }) => wait * 1000 + waitSlackMs,
    async execute({ wait, ...task }, context) {
      const caller = toCaller(context);
      const started = await taskDesk.start(task, caller);
      const [standing = started] =
        wait === 0 ? [] : await taskDesk.wait([started.taskId], { seconds: wait, all: false }, caller);
      return toContent(showStanding(standing), [standing.trust]);
    },
  });
}

import { z } from "zod";
import { type Clock, pause } from "../../base/index.ts";
import { defineTool, type Tool } from "../../kernel/index.ts";

const parameters = z.strictObject({
  duration: z.number().gt(0).lte(300).describe("Seconds, at most 300"),
});

/** Keeps the deadline from coming at the end of a nap, or while the call waits for a slot: a minute at most. */
const slackMs = 65_000;

export function sleepTool(clock: Clock): Tool {
  return defineTool({
    name: "sleep",
    title: "Wait",
    description:
      "Wait for some seconds, for instance for something else to finish. Returns {slept}, in seconds.",
    category: "system",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    mayRepeat: true,
    timeoutMs: ({ duration }) => duration * 1000 + slackMs,
    async execute({ duration }, context) {
      await context.wait(async (signal) => {
        await pause(clock, duration * 1000, signal);
        signal.throwIfAborted();
      });
      return { slept: duration };
    },
  });
}

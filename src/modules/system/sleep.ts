import { z } from "zod";
import type { Clock } from "../../base/index.ts";
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
      await context.wait((signal) => sleep(clock, duration * 1000, signal));
      return { slept: duration };
    },
  });
}

function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const wake = () => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    };
    const giveUp = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, wake);
    signal.addEventListener("abort", giveUp, { once: true });
  });
}

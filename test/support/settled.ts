import type { ToolFailure } from "../../src/kernel/index.ts";

/** What every result says, of a call that took a millisecond. */
export const settled: Pick<
  ToolFailure,
  "callId" | "toolName" | "startedAt" | "completedAt" | "durationMs" | "notes" | "trust" | "private"
> = {
  callId: "c_1",
  toolName: "t",
  startedAt: 0,
  completedAt: 1,
  durationMs: 1,
  notes: [],
  trust: "trusted",
  private: false,
};

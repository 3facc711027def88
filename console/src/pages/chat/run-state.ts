import type { Run } from "./types.ts";

/** Whether a run makes steps, or is about to. */
export function isUnderWay({ state }: Run): boolean {
  return state === "running" || state === "pending";
}

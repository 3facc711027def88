import type { Task } from "./tasks.ts";

/** Whether a person has to look at what was done before others go on with it. */
export function awaitsPerson({
  requiresApproval,
  verification,
}: Pick<Task, "requiresApproval" | "verification">): boolean {
  return requiresApproval || verification === "human";
}

import type { TaskEvent } from "./states.ts";
import type { TaskRow } from "./tables.ts";
import type { TaskChange, TaskHappening } from "./tasks.ts";

/** The number of lost leases in a row after which a task waits for a person: it may be what ends its claimants. */
const mostLosses = 3;

/** Events that say nothing about the outcome of a claim. */
const silentEvents: ReadonlySet<TaskHappening["event"]> = new Set([
  "ASSIGNED",
  "AGENT_STARTED",
  "DEPS_MET",
  "DEPS_UNMET",
  "DEPS_ADDED",
]);

/** The lost leases in a row after an event. */
export function countLosses({ losses }: Pick<TaskRow, "losses">, event: TaskHappening["event"]): number {
  if (event === "RECOVERY") return losses + 1;
  return silentEvents.has(event) ? losses : 0;
}

/** What happens to a task whose lease has run out: it is ready again, or blocked after too many of them in a row. */
export function afterLoss({
  id,
  agent_id,
  losses,
}: Pick<TaskRow, "id" | "agent_id" | "losses">): [TaskEvent, TaskChange] {
  const who = agent_id ?? "whoever had it";
  if (losses + 1 < mostLosses) return ["RECOVERY", { why: `the lease of ${who} ran out` }];
  const text = `${mostLosses} claimants in a row took this task and never reported, ${who} last: the task ends them, or takes longer than their leases. Find out which, say what has to be done otherwise, and have it tried again: \`haft tasks retry ${id} "…"\`, restart_task or reopen_with_feedback.`;
  return [
    "TIMEOUT",
    {
      why: `${mostLosses} leases in a row ran out, that of ${who} last`,
      note: { kind: "feedback", label: "lost leases", text },
    },
  ];
}

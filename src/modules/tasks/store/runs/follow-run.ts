import type { Run } from "../../../sessions/index.ts";
import { awaitsPerson } from "../awaits-person.ts";
import type { TaskEvent, TaskState } from "../states.ts";
import type { Task } from "../tasks.ts";

/** The event of each state that brings a task nearer to being in progress. */
const towardsProgress: Readonly<Record<Exclude<TaskState, "IN_PROGRESS">, TaskEvent>> = {
  DEFINED: "DEPS_MET",
  READY: "ASSIGNED",
  ASSIGNED: "AGENT_STARTED",
  WAITING_INPUT: "HUMAN_REPLIED",
  PAUSED: "RESUME_TIMER",
  VERIFYING: "ADMIN_RESTART",
  AWAITING_APPROVAL: "ADMIN_RESTART",
  AWAITING_PLAN_APPROVAL: "ADMIN_RESTART",
  COMPLETED: "ADMIN_RESTART",
  FAILED: "RETRY",
  BLOCKED: "ADMIN_RESTART",
};

/** What happens to a task in progress on its way to each of these states. */
const fromProgress: Readonly<Record<HaltedState, TaskEvent>> = {
  COMPLETED: "AGENT_COMPLETED",
  AWAITING_APPROVAL: "AGENT_COMPLETED",
  FAILED: "AGENT_FAILED",
  BLOCKED: "ADMIN_STOP",
  PAUSED: "TOKENS_EXHAUSTED",
  WAITING_INPUT: "AGENT_QUESTION",
};

type HaltedState = Extract<
  TaskState,
  "COMPLETED" | "AWAITING_APPROVAL" | "FAILED" | "BLOCKED" | "PAUSED" | "WAITING_INPUT"
>;
type Target = "IN_PROGRESS" | HaltedState;

/** The state of a task whose run is in this state; undefined where the run says nothing of it. */
export function findTarget(
  { state, why }: Pick<Run, "state" | "why">,
  task: Pick<Task, "requiresApproval" | "verification">,
): Target | undefined {
  switch (state) {
    case "pending": // It was just begun, or is left for another process.
      return undefined;
    case "running":
      return "IN_PROGRESS";
    case "parked":
      if (why === "approval") return "WAITING_INPUT";
      // A run that waits for its own tasks is at work through them.
      return why === "task" ? undefined : "PAUSED";
    case "paused":
      return "PAUSED";
    case "completed":
      return awaitsPerson(task) ? "AWAITING_APPROVAL" : "COMPLETED";
    case "failed":
      return "FAILED";
    case "stopped":
      return "BLOCKED";
    default:
      return state satisfies never;
  }
}

/** The next event on the way to a state; undefined once the task is there. */
export function findNextEvent(state: TaskState, target: Target | "ASSIGNED"): TaskEvent | undefined {
  if (state === target) return undefined;
  if (state === "VERIFYING" && target === "COMPLETED") return "VERIFY_PASSED";
  if (state === "VERIFYING" && target === "AWAITING_APPROVAL") return "PR_CREATED";
  if (state !== "IN_PROGRESS") return towardsProgress[state];
  return target === "ASSIGNED" || target === "IN_PROGRESS" ? undefined : fromProgress[target];
}

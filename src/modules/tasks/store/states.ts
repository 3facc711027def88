/** `DEFINED`: it waits for other tasks. `ASSIGNED`: somebody has it and has not begun. `BLOCKED`: a person has to decide. */
export const taskStates = [
  "DEFINED",
  "READY",
  "ASSIGNED",
  "IN_PROGRESS",
  "WAITING_INPUT",
  "PAUSED",
  "VERIFYING",
  "AWAITING_APPROVAL",
  "AWAITING_PLAN_APPROVAL",
  "COMPLETED",
  "FAILED",
  "BLOCKED",
] as const;

/** One of {@link taskStates}. */
export type TaskState = (typeof taskStates)[number];

/** What can happen to a task. */
export const taskEvents = [
  "DEPS_MET",
  "ASSIGNED",
  "AGENT_STARTED",
  "AGENT_COMPLETED",
  "AGENT_FAILED",
  "TOKENS_EXHAUSTED",
  "AGENT_QUESTION",
  "HUMAN_REPLIED",
  "INPUT_TIMEOUT",
  "RESUME_TIMER",
  "VERIFY_PASSED",
  "VERIFY_FAILED",
  "PR_CREATED",
  "PR_MERGED",
  "PR_CLOSED",
  "MERGE_FAILED",
  "MERGE_SUCCEEDED",
  "PLAN_FOUND",
  "PLAN_APPROVED",
  "PLAN_REJECTED",
  "PLAN_DELETED",
  "RETRY",
  "MAX_RETRIES",
  "TIMEOUT",
  "EXECUTION_ERROR",
  "RECOVERY",
  "ADMIN_SKIP",
  "ADMIN_STOP",
  "ADMIN_RESTART",
] as const;

/** One of {@link taskEvents}. */
export type TaskEvent = (typeof taskEvents)[number];

/** The states in which each event can happen, and the state after it. */
export const taskTransitions: Readonly<Record<TaskEvent, Readonly<Partial<Record<TaskState, TaskState>>>>> = {
  DEPS_MET: { DEFINED: "READY" },
  ASSIGNED: { READY: "ASSIGNED" },
  AGENT_STARTED: { ASSIGNED: "IN_PROGRESS" },
  AGENT_COMPLETED: { IN_PROGRESS: "VERIFYING" },
  AGENT_FAILED: { IN_PROGRESS: "FAILED" },
  TOKENS_EXHAUSTED: { IN_PROGRESS: "PAUSED" },
  AGENT_QUESTION: { IN_PROGRESS: "WAITING_INPUT" },
  HUMAN_REPLIED: { WAITING_INPUT: "IN_PROGRESS" },
  INPUT_TIMEOUT: { WAITING_INPUT: "PAUSED" },
  RESUME_TIMER: { PAUSED: "READY" },
  VERIFY_PASSED: { VERIFYING: "COMPLETED" },
  VERIFY_FAILED: { VERIFYING: "FAILED" },
  PR_CREATED: { VERIFYING: "AWAITING_APPROVAL" },
  PR_MERGED: { AWAITING_APPROVAL: "COMPLETED" },
  PR_CLOSED: { AWAITING_APPROVAL: "BLOCKED" },
  MERGE_FAILED: { VERIFYING: "VERIFYING" },
  MERGE_SUCCEEDED: { VERIFYING: "COMPLETED" },
  PLAN_FOUND: { VERIFYING: "AWAITING_PLAN_APPROVAL" },
  PLAN_APPROVED: { AWAITING_PLAN_APPROVAL: "COMPLETED" },
  PLAN_REJECTED: { AWAITING_PLAN_APPROVAL: "READY" },
  PLAN_DELETED: { AWAITING_PLAN_APPROVAL: "COMPLETED" },
  RETRY: { FAILED: "READY", IN_PROGRESS: "READY" },
  MAX_RETRIES: { FAILED: "BLOCKED", IN_PROGRESS: "BLOCKED" },
  TIMEOUT: { IN_PROGRESS: "BLOCKED", ASSIGNED: "BLOCKED" },
  EXECUTION_ERROR: { ASSIGNED: "READY" },
  RECOVERY: { IN_PROGRESS: "READY", ASSIGNED: "READY" },
  ADMIN_SKIP: { BLOCKED: "COMPLETED", FAILED: "COMPLETED" },
  ADMIN_STOP: { IN_PROGRESS: "BLOCKED" },
  ADMIN_RESTART: {
    DEFINED: "READY",
    ASSIGNED: "READY",
    WAITING_INPUT: "READY",
    PAUSED: "READY",
    VERIFYING: "READY",
    AWAITING_APPROVAL: "READY",
    AWAITING_PLAN_APPROVAL: "READY",
    COMPLETED: "READY",
    FAILED: "READY",
    BLOCKED: "READY",
  },
};

/** The state that an event leads to; undefined where it can't happen. */
export function findNextState(state: TaskState, event: TaskEvent): TaskState | undefined {
  return taskTransitions[event][state];
}

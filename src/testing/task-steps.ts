import { ok } from "node:assert/strict";
import type { ClaimedTask, NewTask, Task, TaskEvent, TaskState, Tasks } from "../modules/tasks/index.ts";

// Steps that the cases of tasks share.

export const scope = "local";
export const leaseMs = 60_000;

export function make(tasks: Tasks, part: Partial<NewTask> = {}): Promise<Task> {
  return tasks.create({ scope, projectId: "tea", title: "Boil water", ...part });
}

export async function claim(tasks: Tasks, id: string, forMs: number = leaseMs): Promise<ClaimedTask> {
  const claimed = await tasks.claim({ scope, id, agentId: "ada", leaseMs: forMs });
  ok(claimed, `the task "${id}" can't be had`);
  return claimed;
}

export const isCode =
  (code: string, words: string | undefined = ""): ((error: unknown) => boolean) =>
  (error) =>
    error instanceof Error && "code" in error && error.code === code && error.message.includes(words);

/** The events that lead from READY to a state. */
const ways: Readonly<Record<TaskState, readonly TaskEvent[]>> = {
  DEFINED: [],
  READY: [],
  ASSIGNED: ["ASSIGNED"],
  IN_PROGRESS: ["ASSIGNED", "AGENT_STARTED"],
  WAITING_INPUT: ["ASSIGNED", "AGENT_STARTED", "AGENT_QUESTION"],
  PAUSED: ["ASSIGNED", "AGENT_STARTED", "TOKENS_EXHAUSTED"],
  VERIFYING: ["ASSIGNED", "AGENT_STARTED", "AGENT_COMPLETED"],
  AWAITING_APPROVAL: ["ASSIGNED", "AGENT_STARTED", "AGENT_COMPLETED", "PR_CREATED"],
  AWAITING_PLAN_APPROVAL: ["ASSIGNED", "AGENT_STARTED", "AGENT_COMPLETED", "PLAN_FOUND"],
  COMPLETED: ["ASSIGNED", "AGENT_STARTED", "AGENT_COMPLETED", "VERIFY_PASSED"],
  FAILED: ["ASSIGNED", "AGENT_STARTED", "AGENT_FAILED"],
  BLOCKED: ["ASSIGNED", "TIMEOUT"],
};

export async function bring(tasks: Tasks, id: string, state: TaskState): Promise<Task> {
  for (const event of ways[state]) await tasks.apply(scope, id, event);
  return tasks.require(scope, id);
}

export async function makeIn(tasks: Tasks, state: TaskState): Promise<Task> {
  const dependsOn = state === "DEFINED" ? [(await make(tasks)).id] : [];
  const { id } = await make(tasks, { dependsOn });
  return bring(tasks, id, state);
}

export async function listStates(tasks: Tasks, ids: readonly string[]): Promise<readonly TaskState[]> {
  const found: TaskState[] = [];
  for (const id of ids) found.push((await tasks.require(scope, id)).state);
  return found;
}

export async function listEvents(tasks: Tasks, taskId: string): Promise<readonly string[]> {
  const told = await tasks.happenings({ scope, taskId, since: 0, limit: 100 });
  return told.map(({ event, from, to }) => `${event} ${from ?? ""}>${to ?? ""}`);
}

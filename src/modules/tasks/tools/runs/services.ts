import { ToolContent, type ToolContext, type Trust } from "../../../../kernel/index.ts";
import type { TaskCaller, TaskDesk, TaskStanding } from "../../store/runs/task-desk.ts";
import type { Tasks } from "../../store/tasks.ts";

/** What the tools about the agent's tasks work with. */
export interface TaskRunServices {
  readonly taskDesk: TaskDesk;
  readonly tasks: Pick<Tasks, "get" | "edges">;
}

/** Characters of results that reach the model in one call. */
export const mostOutputChars = 40_000;

/** Whoever makes a call. */
export function toCaller({ scope, taskId, callId, outerCallId, trust, wait }: ToolContext): TaskCaller {
  return { scope, runId: taskId, callId, isInner: outerCallId !== undefined, trust, wait };
}

/** A result as JSON. It is untrusted as a whole where a part of it is. */
export function toContent(value: object, trusts: readonly Trust[]): ToolContent {
  const trust = trusts.includes("untrusted") ? "untrusted" : undefined;
  return new ToolContent([{ type: "text", text: JSON.stringify(value) }], value, trust);
}

/** A standing as the model reads it. */
export function showStanding({ taskId, state, why, waitingFor, result, told }: TaskStanding): object {
  return { taskId, state, why, waitingFor, result, told };
}

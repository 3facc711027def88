import { CodedError } from "../../../../base/index.ts";

/** Codes of {@link TaskRunError}. */
export const taskRunErrorCodes = [
  "TASK_LIMIT",
  "TASK_BUDGET",
  "TASK_UNKNOWN",
  "TASK_NOT_YOURS",
  "TASK_WAIT_CYCLE",
  "TASK_WAITING",
] as const;

/** One of {@link taskRunErrorCodes}. */
export type TaskRunErrorCode = (typeof taskRunErrorCodes)[number];

/** Why an agent can't start, wait for, resume or stop a task. Nothing was changed. */
export class TaskRunError extends CodedError<TaskRunErrorCode> {
  override readonly name = "TaskRunError";
}

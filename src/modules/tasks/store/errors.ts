import { CodedError } from "../../../base/index.ts";

/** Codes of {@link TaskError}. */
export const taskErrorCodes = [
  "QUEUE_TASK_UNKNOWN",
  "QUEUE_TASK_STATE",
  "QUEUE_TASK_LOST",
  "QUEUE_DEPENDENCY",
  "QUEUE_NOTHING_TO_CHANGE",
  "QUEUE_PROJECT_REQUIRED",
] as const;

/** One of {@link taskErrorCodes}. */
export type TaskErrorCode = (typeof taskErrorCodes)[number];

/** Why a change of a task was refused; nothing of it is written. */
export class TaskError extends CodedError<TaskErrorCode> {
  override readonly name = "TaskError";
}

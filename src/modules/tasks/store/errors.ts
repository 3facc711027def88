import { CodedError } from "../../../base/index.ts";

/** Every code of tasks. `docs/reference/errors.md` explains each. */
export const taskErrorCodes = [
  "QUEUE_TASK_UNKNOWN",
  "QUEUE_TASK_STATE",
  "QUEUE_TASK_LOST",
  "QUEUE_DEPENDENCY",
  "QUEUE_NOTHING_TO_CHANGE",
  "QUEUE_PROJECT_REQUIRED",
  "QUEUE_ATTACHMENT",
  "QUEUE_DEPRECATED",
] as const;

/** One of {@link taskErrorCodes}. */
export type TaskErrorCode = (typeof taskErrorCodes)[number];

/**
 * Why a change of a task was refused; nothing of it is written.
 *
 * @example
 * ```ts
 * const error = new TaskError("QUEUE_TASK_UNKNOWN", "Task 'brave-fix' not found: did you mean brave-fox?");
 * error.code; // → "QUEUE_TASK_UNKNOWN"
 * ```
 */
export class TaskError extends CodedError<TaskErrorCode> {
  override readonly name = "TaskError";
}

import { CodedError } from "../../../base/index.ts";

/** Codes of {@link TodoError}. */
export const todoErrorCodes = ["TODO_UNKNOWN", "TODO_FULL", "TODO_INCOMPLETE"] as const;

/** One of {@link todoErrorCodes}. */
export type TodoErrorCode = (typeof todoErrorCodes)[number];

/**
 * Why a todo was not added or changed.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const fault = await store.todos.change("local", 1, { do: "drop" }).catch((error: unknown) => error);
 * fault instanceof TodoError && fault.code; // → "TODO_UNKNOWN"
 * ```
 */
export class TodoError extends CodedError<TodoErrorCode> {
  override readonly name = "TodoError";
}

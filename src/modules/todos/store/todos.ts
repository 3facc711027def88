import type { Trust } from "../../../kernel/index.ts";

/** Maximum number of steps of a todo. Longer lists tend not to be begun. */
export const mostSteps = 7;
/** Maximum number of open todos of a scope. */
export const mostOpen = 200;

/** Something that a person wants to do, in steps that are small enough to begin. */
export interface Todo {
  /** Counted from 1 in its scope. */
  readonly number: number;
  readonly title: string;
  readonly steps: readonly TodoStep[];
  /** Unix ms. */
  readonly due: number | undefined;
  /** Unix ms: the todo is hidden until then. */
  readonly snoozedUntil: number | undefined;
  /** The worst trust of what its texts were made of. */
  readonly trust: Trust;
  readonly createdAt: number;
}

/** A part of a todo, small enough to begin. */
export interface TodoStep {
  readonly text: string;
  readonly isDone: boolean;
}

/** A todo to add. */
export interface NewTodo {
  readonly scope: string;
  /** 1 to 200 characters. */
  readonly title: string;
  /** At most {@link mostSteps}. @default none */
  readonly steps?: readonly string[];
  readonly due?: number;
  /** @default "trusted" */
  readonly trust?: Trust;
}

/** A change of an open todo. `step`: its number, from 1. */
export type TodoChange =
  | { readonly do: "finish"; readonly step?: number }
  | { readonly do: "drop" }
  | { readonly do: "snooze"; readonly until: number };

/** The todos of each scope. Those that are done or dropped are kept, and not shown. */
export interface Todos {
  /** @throws {TodoError} TODO_FULL */
  add(todo: NewTodo): Promise<Todo>;
  /** The open ones, in the order in which they were added. */
  listOpen(scope: string): Promise<readonly Todo[]>;
  /**
   * Changes an open todo. The last step that is done finishes it.
   *
   * @returns whether it is still open
   * @throws {TodoError} TODO_UNKNOWN
   */
  change(scope: string, number: number, change: TodoChange): Promise<boolean>;
}

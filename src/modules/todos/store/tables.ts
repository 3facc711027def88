import type { Trust } from "../../../kernel/index.ts";

/** The table of todos, as queries see it. Times are Unix ms. */
export interface Tables {
  readonly todo: TodoRow;
}

export interface TodoRow {
  readonly scope: string;
  readonly number: number;
  readonly title: string;
  /** JSON of the steps. */
  readonly steps: string;
  readonly due: number | null;
  readonly snoozed_until: number | null;
  readonly state: "open" | "done" | "dropped";
  readonly trust: Trust;
  readonly created_at: number;
  readonly changed_at: number;
}

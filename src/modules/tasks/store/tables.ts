import type { Generated } from "kysely";
import type { Trust } from "../../../kernel/index.ts";
import type { TaskState } from "./states.ts";
import type { TaskHappening, TaskNoteKind, TaskOutcome, TaskType, Verification } from "./tasks.ts";

/** The tables of tasks, as queries see them. Times are Unix ms. */
export interface Tables {
  readonly task: TaskTable;
  readonly task_dependency: DependencyRow;
  readonly task_note: NoteTable;
  readonly task_result: ResultTable;
  readonly task_event: EventTable;
}

/** Counter from which new rows of a table get their numbers. */
type Numbered<Row> = Omit<Row, "seq"> & { readonly seq: Generated<number> };

export type TaskTable = Numbered<TaskRow>;
export type NoteTable = Numbered<NoteRow>;
export type ResultTable = Numbered<ResultRow>;
export type EventTable = Numbered<EventRow>;

export interface TaskRow {
  /** Order of tasks of the same priority. */
  readonly seq: number;
  readonly scope: string;
  readonly id: string;
  readonly project_id: string;
  readonly parent_id: string | null;
  readonly title: string;
  readonly description: string;
  readonly type: TaskType | null;
  readonly priority: number;
  readonly state: TaskState;
  readonly verification: Verification;
  /** 0 or 1. */
  readonly requires_approval: number;
  readonly retries: number;
  readonly max_retries: number;
  readonly profile_id: string | null;
  readonly workspace_id: string | null;
  readonly branch: string | null;
  readonly pr_url: string | null;
  /** 0 or 1. */
  readonly is_plan_subtask: number;
  readonly agent_id: string | null;
  /** The lease of a claim by hand. A run has a lease of its own. */
  readonly lease: string | null;
  readonly lease_until: number | null;
  readonly run_id: string | null;
  readonly session_id: string | null;
  /** Unix ms: a paused task is ready again then. */
  readonly resume_after: number | null;
  readonly trust: Trust;
  readonly idempotency_key: string | null;
  readonly version: number;
  readonly created_at: number;
  readonly changed_at: number;
  readonly state_at: number;
  readonly archived_at: number | null;
  /** How many leases in a row ended without a result. */
  readonly losses: number;
}

export interface DependencyRow {
  readonly scope: string;
  readonly task_id: string;
  readonly depends_on: string;
}

export interface NoteRow {
  readonly seq: number;
  readonly scope: string;
  readonly task_id: string;
  readonly kind: TaskNoteKind;
  readonly label: string;
  readonly text: string;
  readonly trust: Trust;
  readonly at: number;
}

export interface ResultRow {
  readonly seq: number;
  readonly scope: string;
  readonly task_id: string;
  readonly agent_id: string | null;
  readonly run_id: string | null;
  readonly attempt: number;
  readonly outcome: TaskOutcome;
  readonly summary: string;
  /** JSON. */
  readonly files_changed: string;
  readonly error: string | null;
  readonly tokens: number;
  readonly trust: Trust;
  readonly at: number;
}

export interface EventRow {
  readonly seq: number;
  readonly scope: string;
  readonly task_id: string;
  readonly project_id: string;
  readonly event: TaskHappening["event"];
  readonly from_state: TaskState | null;
  readonly to_state: TaskState | null;
  readonly by: string | null;
  readonly why: string | null;
  readonly at: number;
}

import { noteEvents } from "../../events/index.ts";
import { countLosses } from "./losses.ts";
import { addNote, addResult } from "./notes.ts";
import { refuseArchived, refuseEvent, refuseState } from "./refusals.ts";
import { findNextState, type TaskEvent, type TaskState } from "./states.ts";
import type { TaskRow } from "./tables.ts";
import type { TaskChange, TaskHappening } from "./tasks.ts";
import type { Writing } from "./writing.ts";

/** States in which a claim by hand still holds. */
const heldStates: ReadonlySet<TaskState> = new Set(["ASSIGNED", "IN_PROGRESS", "WAITING_INPUT"]);
/** States in which a task is under way: nobody else may change what it depends on, or delete it. */
export const activeStates: ReadonlySet<TaskState> = new Set(["ASSIGNED", "IN_PROGRESS"]);

/** Fields of a change in the history of a task. */
export interface Told {
  readonly event: TaskHappening["event"];
  readonly by?: string | undefined;
  readonly why?: string | undefined;
}

/**
 * Lets an event happen to a task: its state, its fields, its note and its result change together.
 *
 * @throws {TaskError} QUEUE_TASK_STATE
 */
export async function applyEvent(
  writing: Writing,
  row: TaskRow,
  event: TaskEvent,
  change: TaskChange & { readonly lease?: string; readonly leaseUntil?: number } = {},
): Promise<TaskRow> {
  if (row.archived_at !== null) throw refuseArchived(row.id, row.state);
  const to = findNextState(row.state, event);
  if (to === undefined) throw refuseEvent(row.id, row.state, event);
  const { agentId, runId, sessionId, branch, prUrl, resumeAfter, retries, lease, leaseUntil } = change;
  const moved = await moveTask(
    writing,
    row,
    to,
    { event, by: change.by, why: change.why },
    {
      ...(agentId !== undefined && { agent_id: agentId }),
      ...(runId !== undefined && { run_id: runId }),
      ...(sessionId !== undefined && { session_id: sessionId }),
      ...(branch !== undefined && { branch }),
      ...(prUrl !== undefined && { pr_url: prUrl === null ? null : writing.redact(prUrl) }),
      ...(resumeAfter !== undefined && to === "PAUSED" && { resume_after: resumeAfter }),
      ...(retries !== undefined && { retries }),
      ...(lease !== undefined && { lease }),
      ...(leaseUntil !== undefined && { lease_until: leaseUntil }),
    },
  );
  if (change.note !== undefined) await addNote(writing, row, change.note);
  const result = change.result ?? (event === "ADMIN_SKIP" ? ({ outcome: "skipped" } as const) : undefined);
  // The event names the last worker even if the task is no longer claimed.
  if (result !== undefined)
    await addResult(writing, { ...moved, agent_id: moved.agent_id ?? row.agent_id }, result);
  return moved;
}

/** A task that was ready waits again: something that it depends on is not completed. */
export function holdTask(writing: Writing, row: TaskRow, told: Told): Promise<TaskRow> {
  if (row.state !== "READY") throw refuseState(row.id, row.state, `Task '${row.id}' is not ready`);
  return moveTask(writing, row, "DEFINED", told);
}

/** A task comes back from the archive as if it had never begun. */
export function redefineTask(writing: Writing, row: TaskRow, told: Told): Promise<TaskRow> {
  const fresh = { archived_at: null, retries: 0 };
  return moveTask(writing, row, "DEFINED", told, fresh);
}

/** The only statement that changes a state. It changes nothing if the task has changed since it was read. */
async function moveTask(
  writing: Writing,
  row: TaskRow,
  to: TaskState,
  told: Told,
  columns: Partial<TaskRow> = {},
): Promise<TaskRow> {
  const { tx, now } = writing;
  const moved = await tx
    .updateTable("task")
    .set({
      state: to,
      version: row.version + 1,
      changed_at: now,
      state_at: now,
      ...((to === "READY" || to === "DEFINED") && { agent_id: null }),
      ...(!heldStates.has(to) && { lease: null, lease_until: null }),
      resume_after: null,
      losses: countLosses(row, told.event),
      ...columns,
    })
    .where("scope", "=", row.scope)
    .where("id", "=", row.id)
    .where("state", "=", row.state)
    .where("version", "=", row.version)
    .returningAll()
    .executeTakeFirst();
  if (moved === undefined)
    throw refuseState(row.id, row.state, `Task '${row.id}' changed meanwhile: look at it again`);
  await tell(writing, moved, told, { from: row.state, to });
  return moved;
}

/** Changes fields other than the state. */
export async function changeFields(
  writing: Writing,
  row: TaskRow,
  columns: Omit<Partial<TaskRow>, "state">,
): Promise<TaskRow> {
  return writing.tx
    .updateTable("task")
    .set({ ...columns, version: row.version + 1, changed_at: writing.now })
    .where("scope", "=", row.scope)
    .where("id", "=", row.id)
    .where("version", "=", row.version)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Writes a row of the history and an event for those who follow the store. */
export async function tell(
  { tx, now, redact }: Writing,
  { scope, id, project_id }: TaskRow,
  { event, by, why }: Told,
  states: { readonly from?: TaskState; readonly to?: TaskState } = {},
): Promise<void> {
  await tx
    .insertInto("task_event")
    .values({
      scope,
      task_id: id,
      project_id,
      event,
      from_state: states.from ?? null,
      to_state: states.to ?? null,
      by: by ?? null,
      why: why === undefined ? null : redact(why),
      at: now,
    })
    .execute();
  await noteEvents(tx, "task", [id], now);
}

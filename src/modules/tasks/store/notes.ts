import { noteEvents } from "../../events/index.ts";
import type { TaskRow } from "./tables.ts";
import { toNote } from "./task-row.ts";
import type { NewTaskNote, NewTaskResult, TaskNote } from "./tasks.ts";
import type { Writing } from "./writing.ts";

export async function addNote(
  { tx, now, redact }: Writing,
  { scope, id }: TaskRow,
  { kind, label = "", text, trust = "trusted" }: NewTaskNote,
): Promise<TaskNote> {
  const note = { scope, task_id: id, kind, label: redact(label), text: redact(text), trust, at: now };
  const row = await tx.insertInto("task_note").values(note).returningAll().executeTakeFirstOrThrow();
  await noteEvents(tx, "task", [id], now);
  return toNote(row);
}

/** Stores the result of an attempt. Attempts are numbered from 1. */
export async function addResult(
  { tx, now, redact }: Writing,
  row: TaskRow,
  result: NewTaskResult,
): Promise<void> {
  const { scope, id: task_id } = row;
  const { before } = await tx
    .selectFrom("task_result")
    .select((one) => one.fn.countAll<number>().as("before"))
    .where("scope", "=", scope)
    .where("task_id", "=", task_id)
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("task_result")
    .values({
      scope,
      task_id,
      agent_id: row.agent_id,
      run_id: row.run_id,
      attempt: before + 1,
      outcome: result.outcome,
      summary: redact(result.summary ?? ""),
      files_changed: JSON.stringify((result.filesChanged ?? []).map(redact)),
      error: result.error === undefined ? null : redact(result.error),
      tokens: result.tokens ?? 0,
      trust: result.trust ?? row.trust,
      at: now,
    })
    .execute();
}

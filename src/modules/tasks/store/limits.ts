import type { NewTask, NewTaskNote, NewTaskResult, TaskChange, TaskEdit } from "./tasks.ts";

/** The most characters of a task's texts. */
export const taskLimits = {
  title: 200,
  description: 50_000,
  name: 200,
  note: 50_000,
  label: 200,
  summary: 50_000,
  error: 10_000,
  path: 4_096,
  url: 2_000,
  why: 1_000,
} as const;

/** The most files of one result. */
export const mostFiles = 1_000;
const mostDependencies = 1_000;
const mostNotes = 100;

/** @throws {RangeError} */
export function checkNewTask(task: NewTask): void {
  checkFields(task);
  if (task.title.trim() === "") throw new RangeError("A task needs a title of 1 to 200 characters");
  checkText("idempotencyKey", task.idempotencyKey, taskLimits.name);
  checkText("workspaceId", task.workspaceId, taskLimits.name);
  if (task.projectId === "") throw new RangeError("A task needs a project");
  checkCount("dependsOn", task.dependsOn, mostDependencies);
  checkCount("notes", task.notes, mostNotes);
  for (const note of task.notes ?? []) checkNote(note);
}

/** @throws {RangeError} */
export function checkEdit(edit: TaskEdit): void {
  checkFields(edit);
  if (edit.title?.trim() === "") throw new RangeError("A task needs a title of 1 to 200 characters");
  if (edit.projectId === "") throw new RangeError("A task needs a project");
}

/** @throws {RangeError} */
export function checkChange(change: TaskChange): void {
  checkText("why", change.why, taskLimits.why);
  checkText("by", change.by, taskLimits.name);
  checkText("agentId", change.agentId, taskLimits.name);
  checkText("runId", change.runId, taskLimits.name);
  checkText("sessionId", change.sessionId, taskLimits.name);
  checkText("branch", change.branch, taskLimits.name);
  checkText("prUrl", change.prUrl, taskLimits.url);
  checkWhole("resumeAfter", change.resumeAfter, 0, Number.MAX_SAFE_INTEGER);
  checkWhole("retries", change.retries, 0, 1_000_000);
  if (change.note !== undefined) checkNote(change.note);
  if (change.result !== undefined) checkResult(change.result);
}

/** @throws {RangeError} */
export function checkNote({ text, label }: NewTaskNote): void {
  checkText("note", text, taskLimits.note);
  checkText("label", label, taskLimits.label);
}

/** @throws {RangeError} */
export function checkResult({ summary, error, filesChanged, tokens }: NewTaskResult): void {
  checkText("summary", summary, taskLimits.summary);
  checkText("error", error, taskLimits.error);
  checkCount("filesChanged", filesChanged, mostFiles);
  for (const path of filesChanged ?? []) checkText("path", path, taskLimits.path);
  checkWhole("tokens", tokens, 0, Number.MAX_SAFE_INTEGER);
}

/** @throws {RangeError} */
export function checkWhole(name: string, value: number | null | undefined, from: number, to: number): void {
  if (value === undefined || value === null) return;
  if (Number.isInteger(value) && value >= from && value <= to) return;
  throw new RangeError(`"${name}" has to be a whole number from ${from} to ${to}, and is ${value}`);
}

function checkFields(task: TaskEdit | NewTask): void {
  checkText("title", task.title, taskLimits.title);
  checkText("description", task.description, taskLimits.description);
  checkText("projectId", task.projectId, taskLimits.name);
  checkText("profileId", task.profileId, taskLimits.name);
  checkWhole("priority", task.priority, -1_000_000, 1_000_000);
  checkWhole("maxRetries", task.maxRetries, 0, 1_000);
}

function checkText(name: string, text: string | null | undefined, most: number): void {
  if (text === undefined || text === null || text.length <= most) return;
  throw new RangeError(
    `"${name}" has ${text.length} characters: at most ${most} are kept; put the rest into a file or an artifact, and name it`,
  );
}

function checkCount(name: string, list: readonly unknown[] | undefined, most: number): void {
  if (list === undefined || list.length <= most) return;
  throw new RangeError(`"${name}" has ${list.length} entries: at most ${most} are kept`);
}

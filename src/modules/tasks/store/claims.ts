import { randomId } from "../../../db/index.ts";
import { TaskError } from "./errors.ts";
import { requireTask } from "./find-tasks.ts";
import { afterLoss } from "./losses.ts";
import { changeFields } from "./move-task.ts";
import { applyWithConsequences } from "./readiness.ts";
import { refuseArchived, refuseClaim, refuseState } from "./refusals.ts";
import type { TaskRow } from "./tables.ts";
import type { ClaimQuery, TaskEnd } from "./tasks.ts";
import type { Queries, Writing } from "./writing.ts";

/** Claims a task and begins it. Undefined if none is ready. @throws {TaskError} */
export async function claimTask(writing: Writing, query: ClaimQuery): Promise<TaskRow | undefined> {
  const row = await chooseTask(writing.tx, query);
  if (row === undefined) return undefined;
  const { agentId, leaseMs } = query;
  // A run that worked on the task before must not end the new claim.
  const taken = { by: agentId, agentId, runId: null, sessionId: null };
  const assigned = await applyWithConsequences(writing, row, "ASSIGNED", taken);
  const begun = await applyWithConsequences(writing, assigned, "AGENT_STARTED", { by: agentId });
  return changeFields(writing, begun, { lease: randomId("l", 16), lease_until: writing.now + leaseMs });
}

/** @throws {TaskError} QUEUE_TASK_LOST */
export async function renewLease(writing: Writing, row: TaskRow, leaseMs: number): Promise<TaskRow> {
  return changeFields(writing, row, { lease_until: writing.now + leaseMs });
}

/** Ends a claimed task. One that needs approval waits for a person. */
export async function endTask(writing: Writing, row: TaskRow, { result }: TaskEnd): Promise<TaskRow> {
  const told = { result, ...(row.agent_id !== null && { by: row.agent_id }) };
  if (result.outcome === "completed") {
    const done = await applyWithConsequences(writing, row, "AGENT_COMPLETED", told);
    const needsPerson = row.requires_approval === 1 || row.verification === "human";
    return applyWithConsequences(writing, done, needsPerson ? "PR_CREATED" : "VERIFY_PASSED");
  }
  if (row.max_retries === 0) return applyWithConsequences(writing, row, "AGENT_FAILED", told);
  if (row.retries >= row.max_retries) return applyWithConsequences(writing, row, "MAX_RETRIES", told);
  return applyWithConsequences(writing, row, "RETRY", { ...told, retries: row.retries + 1 });
}

/** @throws {TaskError} QUEUE_TASK_LOST */
export async function requireLease(db: Queries, scope: string, id: string, lease: string): Promise<TaskRow> {
  const row = await requireTask(db, scope, id);
  // An expired lease still counts until somebody else claims the task.
  if (row.lease === lease) return row;
  throw new TaskError(
    "QUEUE_TASK_LOST",
    `Cannot go on with task '${id}': its lease ran out or it was taken away (status: ${row.state}); claim it again before working on`,
    { details: { taskId: id, state: row.state } },
  );
}

/** Whether {@link advanceTasks} would change anything. */
export async function isAnyDue(db: Queries, scope: string, now: number): Promise<boolean> {
  const lost = await findLost(db, scope, now).limit(1).executeTakeFirst();
  if (lost !== undefined) return true;
  return (await findRested(db, scope, now).limit(1).executeTakeFirst()) !== undefined;
}

/** Takes back tasks whose lease has expired, and makes paused tasks ready whose time has come. */
export async function advanceTasks(writing: Writing, scope: string): Promise<void> {
  const { tx, now } = writing;
  for (const row of await findLost(tx, scope, now).orderBy("seq").execute())
    await applyWithConsequences(writing, row, ...afterLoss(row));
  for (const row of await findRested(tx, scope, now).orderBy("seq").execute())
    await applyWithConsequences(writing, row, "RESUME_TIMER");
}

function findLost(db: Queries, scope: string, now: number) {
  return db
    .selectFrom("task")
    .selectAll()
    .where("scope", "=", scope)
    .where("lease_until", "<=", now)
    .where("state", "in", ["ASSIGNED", "IN_PROGRESS"]);
}

function findRested(db: Queries, scope: string, now: number) {
  return db
    .selectFrom("task")
    .selectAll()
    .where("scope", "=", scope)
    .where("resume_after", "<=", now)
    .where("state", "=", "PAUSED");
}

async function chooseTask(db: Queries, { scope, id, projectId }: ClaimQuery): Promise<TaskRow | undefined> {
  if (id !== undefined) {
    const row = await requireTask(db, scope, id);
    if (row.archived_at !== null) throw refuseArchived(id, row.state);
    if (projectId !== undefined && row.project_id !== projectId)
      throw refuseState(id, row.state, `Task '${id}' belongs to project '${row.project_id}'`);
    if (row.state !== "READY") throw refuseClaim(row);
    return row;
  }
  return findReady(db, scope, projectId);
}

/** Finds the most urgent ready task. */
export function findReady(
  db: Queries,
  scope: string,
  projectId: string | undefined,
): Promise<TaskRow | undefined> {
  const ready = db
    .selectFrom("task")
    .selectAll()
    .where("scope", "=", scope)
    .where("archived_at", "is", null)
    .where("state", "=", "READY")
    .orderBy("priority")
    .orderBy("seq")
    .limit(1);
  return (projectId === undefined ? ready : ready.where("project_id", "=", projectId)).executeTakeFirst();
}

import { requireTask } from "./find-tasks.ts";
import { newTaskId } from "./ids/new-id.ts";
import { tell } from "./move-task.ts";
import { addNote } from "./notes.ts";
import type { TaskRow } from "./tables.ts";
import type { NewTask } from "./tasks.ts";
import type { Queries, Writing } from "./writing.ts";

/** @throws {TaskError} QUEUE_TASK_UNKNOWN */
export async function createTask(writing: Writing, task: NewTask, random: () => number): Promise<TaskRow> {
  const { tx, now, redact } = writing;
  const { scope, projectId, title, description = title, dependsOn = [], notes = [] } = task;
  const before = await findByKey(tx, task);
  if (before !== undefined) return before;
  if (task.parentId !== undefined) await requireTask(tx, scope, task.parentId);
  const upstreams: TaskRow[] = [];
  for (const id of new Set(dependsOn)) upstreams.push(await requireTask(tx, scope, id));
  const isReady = upstreams.every(({ state }) => state === "COMPLETED");
  const state = isReady ? "READY" : "DEFINED";
  const id = await newTaskId(tx, scope, random);
  const row = await tx
    .insertInto("task")
    .values({
      scope,
      id,
      project_id: projectId,
      parent_id: task.parentId ?? null,
      title: redact(title),
      description: redact(description),
      type: task.type ?? null,
      priority: task.priority ?? 100,
      state,
      verification: task.verification ?? "auto_test",
      requires_approval: task.requiresApproval === true ? 1 : 0,
      retries: 0,
      max_retries: task.maxRetries ?? 3,
      profile_id: task.profileId ?? null,
      workspace_id: task.workspaceId ?? null,
      branch: null,
      pr_url: null,
      is_plan_subtask: 0,
      agent_id: null,
      lease: null,
      lease_until: null,
      run_id: null,
      session_id: null,
      resume_after: null,
      trust: task.trust ?? "trusted",
      idempotency_key: task.idempotencyKey ?? null,
      version: 1,
      created_at: now,
      changed_at: now,
      state_at: now,
      archived_at: null,
      losses: 0,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  if (upstreams.length > 0)
    await tx
      .insertInto("task_dependency")
      .values(upstreams.map((upstream) => ({ scope, task_id: id, depends_on: upstream.id })))
      .execute();
  await tell(writing, row, { event: "CREATED", by: task.by }, { to: state });
  for (const note of notes) await addNote(writing, row, note);
  return row;
}

async function findByKey(db: Queries, { scope, idempotencyKey }: NewTask): Promise<TaskRow | undefined> {
  if (idempotencyKey === undefined) return undefined;
  return db
    .selectFrom("task")
    .selectAll()
    .where("scope", "=", scope)
    .where("idempotency_key", "=", idempotencyKey)
    .executeTakeFirst();
}

import type { EventRow, NoteRow, ResultRow, TaskRow } from "./tables.ts";
import type { ClaimedTask, Task, TaskHappening, TaskNote, TaskResult } from "./tasks.ts";

export function toTask(row: TaskRow): Task {
  return {
    id: row.id,
    scope: row.scope,
    projectId: row.project_id,
    parentId: row.parent_id ?? undefined,
    title: row.title,
    description: row.description,
    type: row.type ?? undefined,
    priority: row.priority,
    state: row.state,
    verification: row.verification,
    requiresApproval: row.requires_approval === 1,
    retries: row.retries,
    maxRetries: row.max_retries,
    profileId: row.profile_id ?? undefined,
    workspaceId: row.workspace_id ?? undefined,
    branch: row.branch ?? undefined,
    prUrl: row.pr_url ?? undefined,
    isPlanSubtask: row.is_plan_subtask === 1,
    agentId: row.agent_id ?? undefined,
    leaseUntil: row.lease_until ?? undefined,
    runId: row.run_id ?? undefined,
    sessionId: row.session_id ?? undefined,
    resumeAfter: row.resume_after ?? undefined,
    trust: row.trust,
    version: row.version,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    stateAt: row.state_at,
    archivedAt: row.archived_at ?? undefined,
  };
}

export function toClaimed(row: TaskRow): ClaimedTask {
  return { ...toTask(row), lease: row.lease as string };
}

export function toNote(row: NoteRow): TaskNote {
  return { seq: row.seq, kind: row.kind, label: row.label, text: row.text, trust: row.trust, at: row.at };
}

export function toResult(row: ResultRow): TaskResult {
  return {
    seq: row.seq,
    taskId: row.task_id,
    agentId: row.agent_id ?? undefined,
    runId: row.run_id ?? undefined,
    attempt: row.attempt,
    outcome: row.outcome,
    summary: row.summary,
    filesChanged: JSON.parse(row.files_changed) as string[],
    error: row.error ?? undefined,
    tokens: row.tokens,
    trust: row.trust,
    at: row.at,
  };
}

export function toHappening(row: EventRow): TaskHappening {
  return {
    seq: row.seq,
    at: row.at,
    taskId: row.task_id,
    projectId: row.project_id,
    event: row.event,
    from: row.from_state ?? undefined,
    to: row.to_state ?? undefined,
    by: row.by ?? undefined,
    why: row.why ?? undefined,
  };
}

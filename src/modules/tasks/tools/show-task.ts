import { trustMark } from "../../../kernel/index.ts";
import type { Task } from "../store/tasks.ts";

/** A task in a list. */
export interface TaskRow {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly priority: number;
  readonly assigned_agent: string | null;
  readonly parent_task_id: string | null;
  readonly task_type: string | null;
  readonly pr_url: string | null;
  readonly requires_approval: boolean;
  readonly trust?: "untrusted";
}

/** A task as the end of an edge. */
export interface TaskLink {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly trust?: "untrusted";
}

export function showRow(task: Task): TaskRow {
  return {
    id: task.id,
    title: task.title,
    status: task.state,
    priority: task.priority,
    assigned_agent: task.agentId ?? null,
    parent_task_id: task.parentId ?? null,
    task_type: task.type ?? null,
    pr_url: task.prUrl ?? null,
    requires_approval: task.requiresApproval,
    ...trustMark(task),
  };
}

export function showLink(task: Task): TaskLink {
  return { id: task.id, title: task.title, status: task.state, ...trustMark(task) };
}

/** @param at Unix ms */
export function showTime(at: number): string {
  return new Date(at).toISOString();
}

import type { Effect } from "../../../kernel/index.ts";

/** The effects of a tool that shows tasks. */
export function readsTasks(): readonly Effect[] {
  return [{ kind: "read", target: "tasks", within: true }];
}

/** The effects of a call that changes one task, or where no id is known, some task. */
export function changesTask(id?: string): readonly Effect[] {
  return [{ kind: "write", target: id === undefined ? "tasks" : `task:${id}`, within: true }];
}

/** The effects of a call that deletes a task, which nothing brings back. */
export function deletesTask(id: string): readonly Effect[] {
  return [{ kind: "delete", target: `task:${id}`, within: true }];
}

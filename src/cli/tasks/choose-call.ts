import type { Profile } from "../../app/index.ts";
import type { Run } from "../../modules/sessions/index.ts";
import type { Task } from "../../modules/tasks/index.ts";

/** Actions of a person on a task that are one call of a tool. */
export type TaskAction = "stop" | "retry" | "approve" | "skip" | "archive" | "restore";

/** A call of a tool, and the profile that has the tool. */
export interface ChosenCall {
  readonly profile: Profile;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A task, and the run that works on it or did last. */
export interface WorkedTask {
  readonly task: Task;
  readonly run: Run | undefined;
}

/**
 * Chooses the call for an action: work of an agent of haft is stopped and begun again with its run, any other by the
 * tools of the queue.
 *
 * @param words For a retry: what the next attempt is told.
 */
export function chooseCall(action: TaskAction, { task: { id }, run }: WorkedTask, words: string): ChosenCall {
  const inQueue = { profile: "queue", params: { task_id: id } } as const;
  switch (action) {
    case "stop":
      if (run === undefined || isEnded(run)) return { ...inQueue, tool: "stop_task" };
      return { profile: "full", tool: "task_stop", params: { taskId: id } };
    case "retry": {
      if (run !== undefined) return resumeCall(id, words === "" ? "Do it once more." : words);
      if (words === "") return { ...inQueue, tool: "restart_task" };
      return { ...inQueue, tool: "reopen_with_feedback", params: { task_id: id, feedback: words } };
    }
    case "approve":
      return { ...inQueue, tool: "approve_task" };
    case "skip":
      return { ...inQueue, tool: "skip_task" };
    case "archive":
      return { ...inQueue, tool: "archive_task" };
    case "restore":
      return { ...inQueue, tool: "restore_task" };
    default:
      return action satisfies never;
  }
}

/** The call that tells the agent of a task something, and lets it go on where it does not work. */
export function resumeCall(id: string, input: string): ChosenCall {
  return { profile: "full", tool: "resume_task", params: { task_id: id, input } };
}

export function isEnded({ state }: Run): boolean {
  return state === "completed" || state === "failed" || state === "stopped";
}

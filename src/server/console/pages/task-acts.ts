import type { App, Profile } from "../../../app/index.ts";
import { findBypassed, type Task } from "../../../modules/tasks/index.ts";
import type { TaskAct } from "../api/index.ts";

/** The tool of the queue that does each act. */
const tools: Readonly<Record<TaskAct, string>> = {
  stop: "stop_task",
  retry: "restart_task",
  reopen: "reopen_with_feedback",
  approve: "approve_task",
  skip: "skip_task",
  archive: "archive_task",
  restore: "restore_task",
};

/** The names of all acts. */
export const acts: readonly TaskAct[] = Object.keys(tools) as readonly TaskAct[];

/** A call of a tool, and the profile that has the tool. */
export interface ChosenCall {
  readonly profile: Profile;
  readonly tool: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Whether the call will ask for the person's yes once the calls before it are made. @default false */
  readonly asksPerson?: boolean;
}

/**
 * Chooses the calls of an act: work of an agent of haft is begun again by that agent, as `haft tasks retry` does, since
 * nobody else takes it.
 */
export async function chooseCalls(
  app: Pick<App, "store">,
  task: Task,
  { act, feedback }: { readonly act: TaskAct; readonly feedback: string | undefined },
): Promise<readonly ChosenCall[]> {
  const { scope, id, runId, state } = task;
  const inQueue = (tool: string, more: object = {}): ChosenCall => ({
    profile: "queue",
    tool,
    params: { task_id: id, ...more },
  });
  const feedbackOfReopen = act === "reopen" ? { feedback: feedback ?? "" } : {};
  const isAgain = act === "retry" || act === "reopen";
  const { runs, tasks } = await app.store();
  const run = isAgain && runId !== undefined ? await runs.get(scope, runId) : undefined;
  if (run === undefined || state === "DEFINED") return [inQueue(tools[act], feedbackOfReopen)];
  const resume: ChosenCall = {
    profile: "full",
    tool: "resume_task",
    params: { task_id: id, input: feedback ?? "Do it once more." },
  };
  const isOver = run.endedAt !== undefined || run.state === "paused";
  if (isOver) return [resume];
  // Once it is stopped, the task is blocked.
  const unapproved = await findBypassed(tasks, { ...task, state: "BLOCKED" });
  return [inQueue("stop_task"), { ...resume, asksPerson: unapproved !== undefined }];
}

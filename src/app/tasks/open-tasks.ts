import { formatWait, type Run } from "../../modules/sessions/index.ts";
import type { Store } from "../store/open-store.ts";

/** What a run that has answered still waits for: the tasks under way that its conversation started. */
export async function findUnfinished(
  { taskRuns }: Pick<Store, "taskRuns">,
  { scope, sessionId }: Run,
): Promise<readonly string[]> {
  const live = await taskRuns.listLive(scope, sessionId);
  return live.map(({ run }) => formatWait({ for: "run", id: run.id }));
}

/** Facts for the summary of a conversation: its tasks under way, and where what it sums up can be read. */
export async function describeTasks(
  { taskRuns, sessions }: Pick<Store, "taskRuns" | "sessions">,
  { scope, sessionId }: Run,
): Promise<readonly string[]> {
  const live = await taskRuns.listLive(scope, sessionId);
  const epoch = (await sessions.get(scope, sessionId))?.epoch ?? 0;
  return [
    ...live.map(
      ({ task }) => `The task ${task.id} (${task.title}) is under way; you are told when it has ended.`,
    ),
    ...(epoch > 0
      ? [`session_archive_read {"file": "${sessionId}/${epoch}"} shows what was said before this summary.`]
      : []),
  ];
}

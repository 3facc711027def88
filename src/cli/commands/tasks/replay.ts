import type { Store } from "../../../app/store/index.ts";
import type { Task } from "../../../modules/tasks/index.ts";
import { describeEntry } from "../../chat/describe-entry.ts";
import { CliError } from "../../errors.ts";
import type { Session } from "../../session.ts";
import { openTasks, requireTask } from "../../tasks/open-tasks.ts";

export interface ReplayOptions {
  readonly from: number;
  readonly limit: number;
}

/** Shows what was said while an agent worked on a task. */
export async function replayTask(
  session: Session,
  id: string,
  { from, limit }: ReplayOptions,
): Promise<void> {
  const { terminal } = session;
  const open = await openTasks(session);
  const { store, scope } = open;
  const task = await requireTask(open, id);
  const sessionId = task.sessionId ?? (await findLastSession(store, task));
  if (sessionId === undefined)
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot replay "${task.id}": no agent of haft worked on it, so nothing was said; \`haft tasks show ${task.id}\` has its notes and results`,
    );
  const found = await store.sessions.entries(scope, sessionId, { after: from - 1, limit: limit + 1 });
  const entries = found.slice(0, limit);
  const next = found[limit]?.seq;
  if (session.asJson) {
    terminal.json({
      taskId: task.id,
      sessionId,
      entries,
      ...(next !== undefined && { next }),
    });
    return;
  }
  for (const entry of entries) {
    const text = describeEntry(entry);
    if (text !== "") terminal.out(`${terminal.foreign(text)}\n`);
  }
  if (entries.length === 0) terminal.err("Nothing was said there\n");
  if (next !== undefined)
    terminal.err(
      `These are ${entries.length} entries; \`haft tasks replay ${task.id} --from ${next}\` goes on\n`,
    );
}

/** The session of the last attempt that an agent of haft made. */
async function findLastSession(
  { tasks, runs }: Store,
  { scope, id, runId }: Task,
): Promise<string | undefined> {
  const ofResults = (await tasks.results(scope, id)).map((result) => result.runId);
  const last = [...ofResults, runId].findLast((one) => one !== undefined);
  return last === undefined ? undefined : (await runs.get(scope, last))?.sessionId;
}

import type { Session, Sessions } from "../../modules/sessions/index.ts";
import { showEntry } from "../../modules/sessions/index.ts";
import type { ReplayedTask } from "../../modules/tasks/index.ts";

/** Shows a page of what was said in the session of a task. */
export async function replayTask(
  sessions: Pick<Sessions, "entries">,
  session: Pick<Session, "scope" | "id">,
  { taskId, from, limit }: { readonly taskId: string; readonly from: number; readonly limit: number },
): Promise<ReplayedTask> {
  const entries = await sessions.entries(session.scope, session.id);
  const all = entries.flatMap((entry) => showEntry(entry).map((line) => ({ ...line, trust: entry.trust })));
  const page = all.slice(from - 1, from - 1 + limit);
  const next = from + page.length;
  return {
    taskId,
    lines: page.map(({ from: who, text }, at) => ({ n: from + at, from: who, text })),
    next: next <= all.length ? next : undefined,
    trust: page.some(({ trust }) => trust === "untrusted") ? "untrusted" : "trusted",
  };
}

import type { Run, Sessions } from "../../modules/sessions/index.ts";
import { showEntry } from "../../modules/sessions/index.ts";
import type { ReplayedTask } from "../../modules/tasks/index.ts";

/**
 * Shows a page of what was said in the session of a task. It is untrusted where the agent was shown anything from
 * outside, since its answers may repeat that on another page.
 */
export async function replayTask(
  sessions: Pick<Sessions, "entries" | "shownTrust">,
  run: Pick<Run, "scope" | "sessionId" | "trust">,
  { taskId, from, limit }: { readonly taskId: string; readonly from: number; readonly limit: number },
): Promise<ReplayedTask> {
  const entries = await sessions.entries(run.scope, run.sessionId);
  const all = entries.flatMap(showEntry);
  const page = all.slice(from - 1, from - 1 + limit);
  const next = from + page.length;
  return {
    taskId,
    lines: page.map(({ from: who, text }, at) => ({ n: from + at, from: who, text })),
    next: next <= all.length ? next : undefined,
    trust: await sessions.shownTrust(run),
  };
}

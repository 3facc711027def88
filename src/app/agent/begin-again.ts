import type { Run, Runs } from "../../modules/sessions/index.ts";

/**
 * Begins a run that goes on with what failed or was interrupted by a person. Undefined for any other run, and for one after
 * which more was said in its session; a summary of the session says nothing more.
 */
export async function beginAgain(
  runs: Pick<Runs, "list" | "begin">,
  { id, state, why, kind, scope, sessionId, settings, trust, project }: Run,
): Promise<Run | undefined> {
  const isOver = state === "failed" || (state === "stopped" && why === "interrupted");
  if (!isOver || kind !== "turn") return undefined;
  const newest = (await runs.list({ scope, sessionId })).find((run) => run.kind !== "reflect");
  if (newest?.id !== id) return undefined;
  return runs.begin({ scope, kind, sessionId, settings, trust, ...(project !== undefined && { project }) });
}

import type { Run, Runs, Sessions } from "../../modules/sessions/index.ts";

/** The parts of the store that {@link beginAgain} works with. */
export interface BeginAgainStore {
  readonly runs: Pick<Runs, "list" | "begin">;
  readonly sessions: Pick<Sessions, "takenTrust">;
}

/**
 * Begins a run that goes on with what failed or was interrupted by a person. Undefined for any other run, and for one after
 * which more was said in its session, for which a summary does not count. The new run has the trust of the messages that
 * the run before it has taken in, since it answers them.
 */
export async function beginAgain({ runs, sessions }: BeginAgainStore, run: Run): Promise<Run | undefined> {
  const { id, state, why, kind, scope, sessionId, settings, project } = run;
  const isOver = state === "failed" || (state === "stopped" && why === "interrupted");
  if (!isOver || kind !== "turn") return undefined;
  const newest = (await runs.list({ scope, sessionId })).find((one) => one.kind !== "reflect");
  if (newest?.id !== id) return undefined;
  return runs.begin({
    scope,
    kind,
    sessionId,
    settings,
    trust: await sessions.takenTrust(run),
    ...(project !== undefined && { project }),
  });
}

import { SessionError } from "../../modules/sessions/index.ts";
import type { AgentHost } from "../agent/agent-host.ts";
import type { Store } from "../store/open-store.ts";

/** What stops the work on a task. */
export interface StopParts {
  readonly store: Pick<Store, "taskRuns">;
  readonly agent: () => Promise<Pick<AgentHost, "driven">>;
}

/**
 * Ends a run of a task and those below it, whatever process drives them; what this process drives of them is left at
 * once. False where all of them had ended.
 */
export async function stopRun(
  { store, agent }: StopParts,
  work: { readonly scope: string; readonly runId: string; readonly why: string },
): Promise<boolean> {
  const ended = await store.taskRuns.stop(work);
  if (ended.length === 0) return false;
  const { driven } = await agent();
  for (const id of ended)
    driven.find(id)?.leave(new SessionError("RUN_LOST", `Cannot go on with the run "${id}": it was stopped`));
  return true;
}

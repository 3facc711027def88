import { setTimeout as sleep } from "node:timers/promises";
import type { CallContext } from "../../kernel/index.ts";
import { liveStates, type Run } from "../../modules/sessions/index.ts";
import type { Store } from "../store/open-store.ts";

/** How late a change is noticed. */
const lookMs = 100;

/** What the next turn of a conversation is found by. */
export interface NextTurnServices {
  readonly context: CallContext;
  readonly store: () => Promise<Pick<Store, "runs">>;
}

/**
 * Waits for the next turn of a conversation: a task has ended, and the run that reads of it waits to be driven. Undefined
 * once no task is under way that goes on by itself.
 */
export async function awaitNextTurn(
  { store, context }: NextTurnServices,
  sessionId: string,
  signal: AbortSignal,
): Promise<Run | undefined> {
  const { runs } = await store();
  const { scope = "local" } = context;
  for (;;) {
    const [pending] = await runs.list({ scope, sessionId, states: ["pending"], limit: 1 });
    if (pending !== undefined) return pending;
    const under = await runs.list({ scope, below: sessionId, states: liveStates });
    if (signal.aborted || !under.some((run) => goesOn(run))) {
      // One may have ended between the two looks.
      const [last] = await runs.list({ scope, sessionId, states: ["pending"], limit: 1 });
      return signal.aborted ? undefined : last;
    }
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Whether a run goes on without anybody's answer, and soon. */
function goesOn({ state, why }: Run): boolean {
  return state !== "parked" || why === "task";
}

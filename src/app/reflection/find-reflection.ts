import type { Run, Runs, Sessions } from "../../modules/sessions/index.ts";
import { reflectionChannel } from "../agent/reflection.ts";

/** The reflection on a run that has ended. */
export interface Reflection {
  /** The run that reflected. */
  readonly runId: string;
  readonly sessionId: string;
  readonly state: Run["state"];
  /** Why it ended early: `breaker`, or the code of an error. */
  readonly why: string | undefined;
  /** What the model says about the task; undefined before the reflection has ended. */
  readonly assessment: string | undefined;
  /** How many calls of the tools of memory it made. */
  readonly toolCallsCount: number;
}

/** Finds the run that reflects on another. */
export async function findReflectionRun(
  { sessions, runs }: { readonly sessions: Pick<Sessions, "list">; readonly runs: Pick<Runs, "list"> },
  { id, scope, agentId }: Pick<Run, "id" | "scope" | "agentId">,
): Promise<Run | undefined> {
  const [session] = await sessions.list({
    scope,
    agentId,
    channel: reflectionChannel,
    address: id,
    limit: 1,
  });
  if (session === undefined) return undefined;
  return (await runs.list({ scope, sessionId: session.id })).at(-1);
}

/** Finds the reflection on a run. Undefined if there is none. */
export async function findReflection(
  store: { readonly sessions: Pick<Sessions, "list" | "entries">; readonly runs: Pick<Runs, "list"> },
  reflected: Pick<Run, "id" | "scope" | "agentId">,
): Promise<Reflection | undefined> {
  const run = await findReflectionRun(store, reflected);
  if (run === undefined) return undefined;
  const { id, scope, sessionId, state, why, result } = run;
  const calls = await store.sessions.entries(scope, sessionId, { runId: id, kind: "result" });
  return {
    runId: id,
    sessionId,
    state,
    why: state === "completed" ? undefined : why,
    assessment: state === "completed" ? result : undefined,
    toolCallsCount: calls.length,
  };
}

import type { Trust } from "../../kernel/index.ts";
import { type Run, type Sessions, showsUntrusted } from "../../modules/sessions/index.ts";

/**
 * The worst trust of all that the model of a run was shown or told. What it says may be made of any of it: a paraphrase
 * can't be traced.
 */
export async function findShownTrust(
  sessions: Pick<Sessions, "get" | "epoch">,
  { scope, sessionId, trust }: Pick<Run, "scope" | "sessionId" | "trust">,
): Promise<Trust> {
  const session = await sessions.get(scope, sessionId);
  if (trust === "untrusted" || session?.trust !== "trusted") return "untrusted";
  for (let n = 1; n <= session.epoch; n++) {
    const epoch = await sessions.epoch(scope, sessionId, n);
    if (epoch !== undefined && showsUntrusted(epoch.prefix)) return "untrusted";
  }
  return "trusted";
}

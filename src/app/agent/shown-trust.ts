import { isRecord } from "../../base/index.ts";
import type { Trust } from "../../kernel/index.ts";
import type { Run, Sessions } from "../../modules/sessions/index.ts";

/**
 * The worst trust of all that the model of a run was shown or told. What it says may be made of any of it: a paraphrase
 * can't be traced.
 */
export async function findShownTrust(
  sessions: Pick<Sessions, "get" | "epoch">,
  { scope, sessionId, trust }: Pick<Run, "scope" | "sessionId" | "trust">,
): Promise<Trust> {
  const session = await sessions.get(scope, sessionId);
  if (trust === "untrusted" || session?.trust === "untrusted") return "untrusted";
  for (let n = 1; n <= (session?.epoch ?? 0); n++) {
    const epoch = await sessions.epoch(scope, sessionId, n);
    if (isRecord(epoch?.prefix) && hasUntrusted(epoch.prefix["seen"])) return "untrusted";
  }
  return "trusted";
}

/** Whether memories in the instructions came from outside. */
function hasUntrusted(seen: unknown): boolean {
  return Array.isArray(seen) && seen.some((one) => isRecord(one) && one["trust"] === "untrusted");
}

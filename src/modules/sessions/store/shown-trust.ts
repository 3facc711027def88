import { isRecord, type Json } from "../../../base/index.ts";
import type { Trust } from "../../../kernel/index.ts";
import { findSession, type Queries } from "./find-rows.ts";
import type { Run } from "./runs.ts";

/** Finds the answer of `Sessions.shownTrust`, also in a transaction. */
export async function findShownTrust(
  db: Queries,
  { scope, sessionId, trust }: Pick<Run, "scope" | "sessionId" | "trust">,
): Promise<Trust> {
  const session = await findSession(db, scope, sessionId);
  if (trust === "untrusted" || session?.trust !== "trusted") return "untrusted";
  const epochs = await db
    .selectFrom("epoch")
    .select("prefix")
    .where("scope", "=", scope)
    .where("session_id", "=", sessionId)
    .execute();
  return epochs.some(({ prefix }) => showsUntrusted(JSON.parse(prefix) as Json)) ? "untrusted" : "trusted";
}

/** Finds the answer of `Sessions.takenTrust`, also in a transaction. */
export async function findTakenTrust(
  db: Queries,
  { scope, sessionId, id, trust }: Pick<Run, "scope" | "sessionId" | "id" | "trust">,
): Promise<Trust> {
  const strange = await db
    .selectFrom("entry")
    .select("seq")
    .where("scope", "=", scope)
    .where("session_id", "=", sessionId)
    .where("run_id", "=", id)
    .where("kind", "=", "user")
    .where("trust", "=", "untrusted")
    .limit(1)
    .executeTakeFirst();
  return strange === undefined ? trust : "untrusted";
}

/** Whether the instructions of an epoch show something from outside: `seen` lists the memories in them, with their trust. */
function showsUntrusted(prefix: Json): boolean {
  const seen = isRecord(prefix) ? prefix["seen"] : undefined;
  return Array.isArray(seen) && seen.some((one) => isRecord(one) && one["trust"] === "untrusted");
}

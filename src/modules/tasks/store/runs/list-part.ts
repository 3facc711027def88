import type { Transaction } from "kysely";
import type { SessionTables } from "../../../sessions/index.ts";

/** Lists the runs of a session and all runs below them, each after the run that began it. */
export async function listPart(
  db: Pick<Transaction<SessionTables>, "selectFrom">,
  scope: string,
  sessionId: string,
): Promise<readonly string[]> {
  const own = await db
    .selectFrom("agent_run")
    .select("id")
    .where("scope", "=", scope)
    .where("session_id", "=", sessionId)
    .execute();
  const ids = new Set(own.map(({ id }) => id));
  for (let above = [...ids]; above.length > 0; ) {
    const below = await db
      .selectFrom("agent_run")
      .select("id")
      .where("scope", "=", scope)
      .where("parent_id", "in", above)
      .execute();
    above = below.map(({ id }) => id).filter((id) => !ids.has(id));
    for (const id of above) ids.add(id);
  }
  return [...ids];
}

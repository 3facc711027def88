import type { Transaction } from "kysely";
import type { SessionTables } from "../../../sessions/index.ts";

type Queries = Pick<Transaction<SessionTables>, "selectFrom">;

/** Lists the runs of a session and all runs below them, each after the run that began it. */
export async function listPart(db: Queries, scope: string, sessionId: string): Promise<readonly string[]> {
  const own = await selectIds(db, scope).where("session_id", "=", sessionId).execute();
  return addBelow(db, scope, own);
}

/** Lists the runs of these ids, without unknown ones, and all runs below them, each after the run that began it. */
export async function listBelow(
  db: Queries,
  scope: string,
  runIds: readonly string[],
): Promise<readonly string[]> {
  if (runIds.length === 0) return [];
  const own = await selectIds(db, scope)
    .where("id", "in", [...runIds])
    .execute();
  return addBelow(db, scope, own);
}

async function addBelow(
  db: Queries,
  scope: string,
  own: readonly { readonly id: string }[],
): Promise<readonly string[]> {
  const ids = new Set(own.map(({ id }) => id));
  for (let above = [...ids]; above.length > 0; ) {
    const below = await selectIds(db, scope).where("parent_id", "in", above).execute();
    above = below.map(({ id }) => id).filter((id) => !ids.has(id));
    for (const id of above) ids.add(id);
  }
  return [...ids];
}

function selectIds(db: Queries, scope: string) {
  return db.selectFrom("agent_run").select("id").where("scope", "=", scope);
}

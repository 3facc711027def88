import type { Transaction } from "kysely";
import { liveStates, type RunRow, type SessionTables } from "../../../sessions/index.ts";
import type { StartCounts } from "./limits.ts";

type Queries = Pick<Transaction<SessionTables>, "selectFrom">;

const hourMs = 3_600_000;

/**
 * Counts what is limited before a task is started: below the conversation that its parent's outermost run belongs to, or,
 * without a parent, among the tasks that no run began.
 */
export async function countStarts(
  db: Queries,
  {
    scope,
    parent,
    now,
  }: { readonly scope: string; readonly parent: RunRow | undefined; readonly now: number },
): Promise<StartCounts> {
  const among = await listAmong(db, scope, parent);
  const count = async (rows: ReturnType<typeof among>) => {
    const { all } = await rows.select((row) => row.fn.countAll<number>().as("all")).executeTakeFirstOrThrow();
    return Number(all);
  };
  return {
    depth: parent === undefined ? 0 : parent.depth + 1,
    active: await count(among().where("state", "in", liveStates)),
    lastHour: await count(among().where("created_at", ">", now - hourMs)),
    children: parent === undefined ? 0 : await countChildren(db, parent),
  };
}

async function listAmong(db: Queries, scope: string, parent: RunRow | undefined) {
  const tasks = () => db.selectFrom("agent_run").where("scope", "=", scope).where("kind", "=", "task");
  if (parent === undefined) return () => tasks().where("parent_id", "is", null);
  const root = await db
    .selectFrom("agent_run")
    .select("session_id")
    .where("scope", "=", scope)
    .where("id", "=", parent.root_id)
    .executeTakeFirst();
  const sessionId = root?.session_id ?? parent.session_id;
  const roots = db
    .selectFrom("agent_run")
    .select("root_id")
    .where("scope", "=", scope)
    .where("session_id", "=", sessionId);
  return () => tasks().where("session_id", "!=", sessionId).where("root_id", "in", roots);
}

/** A run that goes on with the work of another counts with it: they have one outermost run and one session. */
async function countChildren(db: Queries, { scope, session_id, root_id }: RunRow): Promise<number> {
  const { all } = await db
    .selectFrom("agent_run")
    .select((row) => row.fn.count<number>("session_id").distinct().as("all"))
    .where("scope", "=", scope)
    .where("parent_id", "in", (query) =>
      query
        .selectFrom("agent_run")
        .select("id")
        .where("scope", "=", scope)
        .where("session_id", "=", session_id)
        .where("root_id", "=", root_id),
    )
    .executeTakeFirstOrThrow();
  return Number(all);
}

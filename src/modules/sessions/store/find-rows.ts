import type { Transaction } from "kysely";
import { SessionError } from "./errors.ts";
import type { RunRow, SessionRow, Tables } from "./tables.ts";

export type Queries = Pick<Transaction<Tables>, "selectFrom">;

export function findSession(db: Queries, scope: string, id: string): Promise<SessionRow | undefined> {
  return db
    .selectFrom("session")
    .selectAll()
    .where("scope", "=", scope)
    .where("id", "=", id)
    .executeTakeFirst();
}

export function findRun(db: Queries, scope: string, id: string): Promise<RunRow | undefined> {
  return db
    .selectFrom("agent_run")
    .selectAll()
    .where("scope", "=", scope)
    .where("id", "=", id)
    .executeTakeFirst();
}

/** The runs of a session that a process drives, or drove until it died. */
export function findRunning(db: Queries, scope: string, sessionId: string): Promise<RunRow[]> {
  return db
    .selectFrom("agent_run")
    .selectAll()
    .where("scope", "=", scope)
    .where("session_id", "=", sessionId)
    .where("state", "=", "running")
    .execute();
}

export async function requireSession(tx: Queries, scope: string, id: string): Promise<SessionRow> {
  const row = await findSession(tx, scope, id);
  if (row !== undefined) return row;
  throw new SessionError("SESSION_NOT_FOUND", `Cannot use the session "${id}": there is none of this id`, {
    details: { sessionId: id },
  });
}

export async function requireRun(tx: Queries, scope: string, id: string): Promise<RunRow> {
  const row = await findRun(tx, scope, id);
  if (row !== undefined) return row;
  throw new SessionError("SESSION_NOT_FOUND", `Cannot begin a run below "${id}": there is none of this id`, {
    details: { runId: id },
  });
}

import type { Session } from "../../modules/sessions/index.ts";
import { findAgentMemory } from "./memory-scope.ts";
import type { RecordServices } from "./record-turns.ts";

/** The most entries that memory lists at once. */
const mostListed = 1_000;

/**
 * Deletes a session, with what memory has recorded of it word for word. What was noted from that stays.
 *
 * @throws {SessionError} SESSION_BUSY: a process has a run of it.
 */
export async function deleteSession(
  app: Pick<RecordServices, "agents" | "context" | "store">,
  { id, scope, agentId }: Pick<Session, "id" | "scope" | "agentId">,
): Promise<boolean> {
  const { sessions, memory } = await app.store();
  if (!(await sessions.delete(scope, id))) return false;
  const place = findAgentMemory(app, agentId);
  for (;;) {
    const { entries } = await memory.list(place, {
      kinds: ["message"],
      session: id,
      owned: "own",
      with: ["deleted", "superseded", "invalid"],
      limit: mostListed,
    });
    if (entries.length === 0) return true;
    const erased = entries.map((entry) => ({ do: "erase_block", id: entry.id }) as const);
    await memory.edit(place, erased, { by: "owner" });
  }
}

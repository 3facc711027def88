import type { Transaction } from "kysely";
import { randomId } from "../../../db/index.ts";
import type { Redact } from "../../../kernel/index.ts";
import { noteEvents } from "../../events/index.ts";
import { requireRun, requireSession } from "./find-rows.ts";
import { redactParts } from "./redact-entry.ts";
import { requireShort } from "./require-short.ts";
import type { NewRun } from "./runs.ts";
import type { NewMessage, NewSession } from "./sessions.ts";
import type { InboxRow, RunRow, SessionRow, Tables } from "./tables.ts";

/** What every new row of a session needs. */
export interface InsertOptions {
  readonly now: number;
  /** Takes secrets out of what is stored. */
  readonly redact: Redact;
}

/** Inserts a session with an address of its own, unless one is given. */
export async function insertSession(
  tx: Transaction<Tables>,
  { scope, agentId, channel, address, title }: NewSession,
  { now, redact }: InsertOptions,
): Promise<SessionRow> {
  const id = randomId("s", 16);
  const row: SessionRow = {
    scope,
    id,
    agent_id: agentId,
    channel,
    address: address ?? id,
    title: title === undefined ? null : redact(title),
    epoch: 0,
    last_seq: 0,
    summary_seq: null,
    trust: "trusted",
    created_at: now,
    changed_at: now,
  };
  await tx.insertInto("session").values(row).execute();
  await noteEvents(tx, "session", [id], now);
  return row;
}

/**
 * Inserts a run that waits to be driven.
 *
 * @throws {SessionError} SESSION_NOT_FOUND: there is no such session, or no such parent run.
 */
export async function insertRun(
  tx: Transaction<Tables>,
  { scope, kind, sessionId, parentId, settings = null, trust = "trusted", project }: NewRun,
  { now }: Pick<InsertOptions, "now">,
): Promise<RunRow> {
  const session = await requireSession(tx, scope, sessionId);
  const parent = parentId === undefined ? undefined : await requireRun(tx, scope, parentId);
  const id = randomId("run", 16);
  const row: RunRow = {
    scope,
    id,
    kind,
    session_id: sessionId,
    agent_id: session.agent_id,
    parent_id: parentId ?? null,
    root_id: parent?.root_id ?? id,
    depth: parent === undefined ? 0 : parent.depth + 1,
    state: "pending",
    why: null,
    wait_for: null,
    result: null,
    settings: JSON.stringify(settings),
    trust,
    steps: 0,
    lease: null,
    lease_until: null,
    created_at: now,
    changed_at: now,
    ended_at: null,
    project: project ?? null,
  };
  await tx.insertInto("agent_run").values(row).execute();
  await noteEvents(tx, "run", [id], now);
  return row;
}

/**
 * Inserts a run that goes on with the work of one that has ended: in the same session, with the same settings, and below
 * the same outermost run, so that its cost counts to the same budget.
 */
export async function insertNextRun(
  tx: Transaction<Tables>,
  last: RunRow,
  { now }: Pick<InsertOptions, "now">,
): Promise<RunRow> {
  const row: RunRow = {
    ...last,
    id: randomId("run", 16),
    state: "pending",
    why: null,
    wait_for: null,
    result: null,
    steps: 0,
    lease: null,
    lease_until: null,
    created_at: now,
    changed_at: now,
    ended_at: null,
  };
  await tx.insertInto("agent_run").values(row).execute();
  await noteEvents(tx, "run", [row.id], now);
  return row;
}

/**
 * Inserts a message that waits to be read. Undefined if the same message of its channel is there already.
 *
 * @throws {SessionError} SESSION_NOT_FOUND
 */
export async function insertMessage(
  tx: Transaction<Tables>,
  { scope, sessionId, sender, parts, how = "steer", trust = "trusted", external }: NewMessage,
  { now, redact }: InsertOptions,
): Promise<InboxRow | undefined> {
  await requireSession(tx, scope, sessionId);
  if (external !== undefined && (await isStored(tx, scope, external))) return undefined;
  const { last } = await tx
    .selectFrom("inbox")
    .select((inbox) => inbox.fn.max("n").as("last"))
    .where("scope", "=", scope)
    .where("session_id", "=", sessionId)
    .executeTakeFirstOrThrow();
  const id = randomId("i", 16);
  const row: InboxRow = {
    scope,
    session_id: sessionId,
    n: (last ?? 0) + 1,
    id,
    sender,
    channel: external?.channel ?? "",
    external_id: external?.id ?? id,
    parts: requireShort(JSON.stringify(redactParts(parts, redact))),
    how,
    trust,
    taken_seq: null,
    at: now,
    shown_by: null,
  };
  await tx.insertInto("inbox").values(row).execute();
  await noteEvents(tx, "session", [sessionId], now);
  return row;
}

async function isStored(
  tx: Transaction<Tables>,
  scope: string,
  { channel, id }: NonNullable<NewMessage["external"]>,
): Promise<boolean> {
  const stored = await tx
    .selectFrom("inbox")
    .select("id")
    .where("scope", "=", scope)
    .where("channel", "=", channel)
    .where("external_id", "=", id)
    .executeTakeFirst();
  return stored !== undefined;
}

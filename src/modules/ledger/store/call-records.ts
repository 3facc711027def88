import type { Kysely } from "kysely";
import { findRanges } from "./block-ranges.ts";
import { isErased } from "./erasable-texts.ts";
import { storedName } from "./ledger-row.ts";
import type { CallQuery, CallRecord, CallState } from "./ledger-store.ts";
import type { Tables } from "./tables.ts";

const defaultLimit = 50;
const maxLimit = 1000;
const callsAtOnce = 250;

export async function listCalls(db: Kysely<Tables>, query: CallQuery): Promise<readonly CallRecord[]> {
  const limit = readLimit(query);
  let rows = calls(db);
  const { scope, state } = query;
  if (scope !== undefined) {
    const below = `${scope}/`;
    rows = rows.where((row) => {
      const start = row.fn<string>("substr", ["first.scope", row.val(1), row.val(below.length)]);
      return row.or([row("first.scope", "=", scope), row(start, "=", below)]);
    });
  }
  if (query.tool !== undefined) rows = rows.where("first.tool_name", "=", query.tool);
  if (query.callIds !== undefined) rows = rows.where("first.call_id", "in", query.callIds.map(storedName));
  if (query.taskId !== undefined) rows = rows.where("first.task_id", "=", query.taskId);
  if (query.runId !== undefined) rows = rows.where("first.run_id", "=", query.runId);
  if (query.agentId !== undefined) rows = rows.where("first.agent_id", "=", query.agentId);
  if (query.project !== undefined) rows = rows.where("first.project", "=", query.project);
  if (query.client !== undefined) rows = rows.where("first.client_name", "=", query.client);
  if (query.session !== undefined) rows = rows.where("first.session", "=", query.session);
  if (query.rootCallId !== undefined)
    rows = rows.where("first.root_call_id", "=", storedName(query.rootCallId));
  const { text } = query;
  if (text !== undefined && text !== "") {
    rows = rows.where((row) => {
      const told = [
        row.fn<string>("lower", ["first.params_text"]),
        row.fn<string>("lower", [row.fn.coalesce("ended.summary", "first.summary")]),
      ];
      const without = (all: (typeof told)[number]) =>
        row.fn<string>("replace", [all, row.fn("lower", [row.val(text)]), row.val("")]);
      return row.or(told.map((all) => row(without(all), "<>", all)));
    });
  }
  if (query.since !== undefined) rows = rows.where("first.started_at", ">=", query.since);
  if (query.until !== undefined) rows = rows.where("first.started_at", "<", query.until);
  if (query.before !== undefined) rows = rows.where("first.seq", "<", query.before);
  if (query.after !== undefined) rows = rows.where("first.seq", ">", query.after);
  if (state !== undefined) rows = rows.where((row) => row(row.fn.coalesce(...stateColumns), "=", state));
  const direction = query.after === undefined ? "desc" : "asc";
  const found: CallRow[] = [];
  for (const { from, to } of await findRanges(db, query)) {
    let inRange = rows.orderBy("first.seq", direction).limit(limit - found.length);
    if (from !== undefined) inRange = inRange.where("first.seq", ">=", from);
    if (to !== undefined) inRange = inRange.where("first.seq", "<=", to);
    found.push(...(await inRange.execute()));
    if (found.length === limit) break;
  }
  return found.map(toCallRecord);
}

/** How many calls a query lists at most. */
export function readLimit({ limit = defaultLimit }: Pick<CallQuery, "limit">): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit)
    throw new RangeError(`Cannot list ${limit} calls: the limit is a whole number from 1 to ${maxLimit}`);
  return limit;
}

export async function findCall(db: Kysely<Tables>, callId: string): Promise<CallRecord | undefined> {
  const row = await calls(db)
    .where("first.call_id", "=", callId)
    .orderBy("first.seq", "desc")
    .executeTakeFirst();
  return row === undefined ? undefined : toCallRecord(row);
}

/** The calls with these first rows, in their order; a row that is not the first of a call is left out. */
export async function findCallsAt(
  db: Kysely<Tables>,
  seqs: readonly number[],
): Promise<readonly CallRecord[]> {
  const found = new Map<number, CallRecord>();
  for (let at = 0; at < seqs.length; at += callsAtOnce) {
    const rows = await calls(db)
      .where("first.seq", "in", seqs.slice(at, at + callsAtOnce))
      .execute();
    for (const row of rows) found.set(row.seq, toCallRecord(row));
  }
  return seqs.flatMap((seq) => found.get(seq) ?? []);
}

/** The calls of a task that have no end, and that must not be made twice; the newest first. */
export async function listUnsettled(
  db: Kysely<Tables>,
  scope: string,
  taskId: string,
): Promise<readonly CallRecord[]> {
  const unsettled = calls(db)
    .where("first.scope", "=", scope)
    .where("first.task_id", "=", taskId)
    .where("first.idempotent", "=", 0)
    .where((row) => row(row.fn.coalesce(...stateColumns), "in", ["unknown", "started"]));
  const found: CallRow[] = [];
  for (const { from, to } of await findRanges(db, { taskId })) {
    let inRange = unsettled.orderBy("first.seq", "desc");
    if (from !== undefined) inRange = inRange.where("first.seq", ">=", from);
    if (to !== undefined) inRange = inRange.where("first.seq", "<=", to);
    found.push(...(await inRange.execute()));
  }
  return found.map(toCallRecord);
}

/** The first that is not null. A call that was found unknown may still have ended, if its process was only believed gone. */
const stateColumns = ["ended.outcome", "first.outcome", "lost.event", "first.event"] as const;

/** Every call by its first row, with what came of it: the row of its end, or the one that says it was lost. */
function calls(db: Kysely<Tables>) {
  return db
    .selectFrom("ledger as first")
    .leftJoin("ledger as ended", (join) =>
      join
        .onRef("ended.call_id", "=", "first.call_id")
        .onRef("ended.start_seq", "=", "first.seq")
        .on("ended.event", "=", "ended"),
    )
    .leftJoin("ledger as lost", (join) =>
      join
        .onRef("lost.call_id", "=", "first.call_id")
        .onRef("lost.start_seq", "=", "first.seq")
        .on("lost.event", "=", "unknown"),
    )
    .where("first.start_seq", "is", null)
    .select([
      "first.seq",
      "first.hash",
      "first.run_id",
      "first.call_id",
      "first.tool_name",
      "first.tool_version",
      "first.scope",
      "first.task_id",
      "first.agent_id",
      "first.user_id",
      "first.channel",
      "first.client_name",
      "first.client_version",
      "first.session",
      "first.project",
      "first.parent_call_id",
      "first.root_call_id",
      "first.texts_hash",
      "first.texts_salt",
      "first.idempotent",
      "first.decision",
      "first.decided_by",
      "first.params_digest",
      "first.params_text",
      "first.started_at",
      "first.at",
      "first.event",
      "ended.at as ended_at",
      "lost.at as lost_at",
    ])
    .select((row) => [
      row
        .selectFrom("ledger as parent")
        .select("parent.tool_name")
        .whereRef("parent.call_id", "=", "first.parent_call_id")
        .where("parent.start_seq", "is", null)
        .orderBy("parent.seq", "desc")
        .limit(1)
        .as("parent_tool"),
      row.fn.coalesce(...stateColumns).as("state"),
      row.fn.coalesce("ended.seq", "lost.seq").as("end_seq"),
      row.fn.coalesce("ended.hash", "lost.hash").as("end_hash"),
      row.fn.coalesce("ended.code", "first.code").as("code"),
      row.fn.coalesce("ended.summary", "first.summary").as("summary"),
      row.fn.coalesce("ended.result_digest", "first.result_digest").as("result_digest"),
      row.fn.coalesce("ended.notes", "first.notes").as("notes"),
      row.fn.coalesce("ended.artifact_id", "first.artifact_id").as("artifact_id"),
      row.fn.coalesce("ended.still_running", "first.still_running").as("still_running"),
      row.fn.coalesce("ended.duration_ms", "first.duration_ms").as("duration_ms"),
    ]);
}

type CallRow = Awaited<ReturnType<ReturnType<typeof calls>["execute"]>>[number];

function toCallRecord(row: CallRow): CallRecord {
  const endedAt = row.ended_at ?? row.lost_at ?? (row.event === "ended" ? row.at : undefined);
  return {
    seq: row.seq,
    hash: row.hash,
    end: row.end_seq === null ? undefined : { seq: row.end_seq, hash: row.end_hash ?? "" },
    runId: row.run_id,
    callId: row.call_id,
    state: row.state as CallState,
    toolName: row.tool_name,
    toolVersion: row.tool_version ?? undefined,
    scope: row.scope,
    taskId: row.task_id ?? undefined,
    agentId: row.agent_id ?? undefined,
    userId: row.user_id ?? undefined,
    channel: row.channel ?? undefined,
    client:
      row.client_name === null ? undefined : { name: row.client_name, version: row.client_version ?? "" },
    session: row.session ?? undefined,
    project: row.project ?? undefined,
    parent:
      row.parent_call_id === null
        ? undefined
        : { callId: row.parent_call_id, toolName: row.parent_tool ?? "" },
    rootCallId: row.root_call_id ?? undefined,
    idempotent: row.idempotent === 1,
    decision: row.decision === null ? undefined : { decision: row.decision, by: row.decided_by ?? "" },
    paramsDigest: row.params_digest ?? undefined,
    paramsText: row.params_text ?? "",
    startedAt: row.started_at ?? row.at,
    endedAt,
    durationMs: row.duration_ms ?? undefined,
    code: row.code ?? undefined,
    summary: row.summary ?? undefined,
    resultDigest: row.result_digest ?? undefined,
    notes: row.notes === null ? [] : (JSON.parse(row.notes) as string[]),
    artifactId: row.artifact_id ?? undefined,
    stillRunning: row.still_running === 1,
    erased: isErased(row),
  };
}

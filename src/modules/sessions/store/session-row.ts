import type { Json } from "../../../base/index.ts";
import type { Entry, EntryContent, UserEntry } from "./entries.ts";
import type { ClaimedRun, Run } from "./runs.ts";
import type { Epoch, Session, WaitingMessage } from "./sessions.ts";
import type { EntryRow, EpochRow, InboxRow, RunRow, SessionRow } from "./tables.ts";

export function toSession(row: SessionRow): Session {
  return {
    id: row.id,
    scope: row.scope,
    agentId: row.agent_id,
    channel: row.channel,
    address: row.address,
    title: row.title ?? undefined,
    epoch: row.epoch,
    lastSeq: row.last_seq,
    trust: row.trust,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}

export function toEpoch(row: EpochRow): Epoch {
  return { n: row.n, prefix: JSON.parse(row.prefix) as Json, beganAt: row.began_at };
}

export function toRun(row: RunRow): Run {
  return {
    id: row.id,
    scope: row.scope,
    kind: row.kind,
    sessionId: row.session_id,
    agentId: row.agent_id,
    parentId: row.parent_id ?? undefined,
    rootId: row.root_id,
    depth: row.depth,
    state: row.state,
    why: row.why ?? undefined,
    waitFor: row.wait_for ?? undefined,
    result: row.result ?? undefined,
    settings: JSON.parse(row.settings) as Json,
    trust: row.trust,
    steps: row.steps,
    leaseUntil: row.lease_until ?? undefined,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    endedAt: row.ended_at ?? undefined,
    project: row.project ?? undefined,
  };
}

export function toClaimedRun(row: RunRow): ClaimedRun {
  return { ...toRun(row), lease: row.lease as string };
}

/** The columns that an entry is read from. The others repeat parts of `content`, or are keys. */
export const entryColumns = [
  "content",
  "seq",
  "epoch",
  "run_id",
  "tokens",
  "trust",
  "private",
  "at",
] as const;

export function toEntry(row: Pick<EntryRow, (typeof entryColumns)[number]>): Entry {
  const content = JSON.parse(row.content) as EntryContent;
  return Object.assign(content, {
    seq: row.seq,
    epoch: row.epoch,
    runId: row.run_id,
    tokens: row.tokens,
    trust: row.trust,
    private: row.private === 1,
    at: row.at,
  });
}

export function toMessage(row: InboxRow): WaitingMessage {
  return {
    id: row.id,
    sender: row.sender,
    ...(row.channel !== "" && { channel: row.channel }),
    parts: JSON.parse(row.parts) as UserEntry["parts"],
    how: row.how,
    trust: row.trust,
    at: row.at,
    ...(row.shown_by !== null && { shownBy: row.shown_by }),
  };
}

import { hash as sha256 } from "node:crypto";
import { canonicalJson } from "../../base/index.ts";
import type { LedgerCall, LedgerOutcome } from "../../kernel/index.ts";
import type { ChainHead, SealedRow } from "../database.ts";
import type { LedgerRow } from "../tables.ts";
import { boundedNotes, boundedText } from "../bounded-text.ts";

/** A row that has no place in the chain yet. */
export type LooseRow = Omit<LedgerRow, "seq" | "start_seq" | "prev_hash" | "hash">;

/** Ids and names; a longer one is cut, the same way each time. */
const maxNameChars = 300;
/** Enough for a person to see what was asked; the digest stands for the whole. */
const maxParamsChars = 4000;
const maxSummaryChars = 500;

const noCall = {
  started_at: null,
  tool_version: null,
  task_id: null,
  agent_id: null,
  user_id: null,
  channel: null,
  idempotent: null,
  decision: null,
  decided_by: null,
  params_digest: null,
  params_text: null,
} as const;

const noOutcome = {
  outcome: null,
  code: null,
  summary: null,
  notes: null,
  artifact_id: null,
  still_running: null,
  duration_ms: null,
  result_digest: null,
} as const;

export function startedRow(call: LedgerCall, runId: string): LooseRow {
  const at = Math.trunc(call.startedAt);
  return { ...keysOf(call, runId), event: "started", at, ...factsOf(call), ...noOutcome };
}

/** The end of a call: `alone` where the call has no other row, so that this one has to say what was called too. */
export function endedRow(call: LedgerCall, outcome: EndedOutcome, runId: string, alone: boolean): LooseRow {
  return {
    ...keysOf(call, runId),
    event: "ended",
    at: Math.trunc(outcome.completedAt),
    ...(alone ? factsOf(call) : noCall),
    outcome: stateOf(outcome),
    code: name(outcome.code),
    summary: outcome.summary,
    notes: boundedNotes(outcome.notes),
    artifact_id: name(outcome.artifactId),
    still_running: outcome.stillRunning ? 1 : 0,
    duration_ms: Number.isFinite(outcome.durationMs) ? outcome.durationMs : null,
    result_digest: outcome.resultDigest,
  };
}

/** An outcome with what is kept of its text. */
export interface EndedOutcome extends Omit<LedgerOutcome, "text"> {
  readonly summary: string;
  /** SHA-256, hex. */
  readonly resultDigest: string;
}

/** Reads the text once, where no transaction waits for it. */
export function withoutText({ text, ...outcome }: LedgerOutcome): EndedOutcome {
  return { ...outcome, summary: boundedText(text, maxSummaryChars), resultDigest: sha256("sha256", text) };
}

/** Says of a call whose process is gone that nobody knows how it came out. */
export function unknownRow(started: UnfinishedRow, runId: string, at: number): LooseRow {
  const { call_id, tool_name, scope } = started;
  return { call_id, tool_name, scope, run_id: runId, event: "unknown", at, ...noCall, ...noOutcome };
}

export type UnfinishedRow = Pick<LedgerRow, "seq" | "call_id" | "tool_name" | "scope">;

/** Gives a row its place in the chain. */
export function seal(row: LooseRow, startSeq: number | null, head: ChainHead): SealedRow {
  const seq = head.seq + 1;
  const values = chainedValues(row, seq, startSeq, head.hash);
  const hash = hashOf(values, row.result_digest);
  values.push(hash, row.result_digest);
  return { seq, hash, values };
}

/** The hash that a row ought to have. */
export function expectedHash(row: LedgerRow): string {
  return hashOf(chainedValues(row, row.seq, row.start_seq, row.prev_hash), row.result_digest);
}

/**
 * SHA-256 over a JSON array of every other column, the previous hash among them. The digest of the result came to the
 * table later: a row without one hashes as it did before, and a row that loses or gains one has an array of another
 * length, which is another hash.
 */
function hashOf(values: readonly (string | number | null)[], resultDigest: string | null): string {
  return sha256("sha256", JSON.stringify(resultDigest === null ? values : [...values, resultDigest]));
}

/** In the order of `ledgerColumns`, up to `prev_hash`. Written out, because a loop over the names takes eight times as long. */
function chainedValues(
  row: LooseRow,
  seq: number,
  startSeq: number | null,
  prevHash: string,
): (string | number | null)[] {
  return [
    seq,
    row.call_id,
    row.event,
    startSeq,
    row.run_id,
    row.at,
    row.started_at,
    row.tool_name,
    row.tool_version,
    row.scope,
    row.task_id,
    row.agent_id,
    row.user_id,
    row.channel,
    row.idempotent,
    row.decision,
    row.decided_by,
    row.params_digest,
    row.params_text,
    row.outcome,
    row.code,
    row.summary,
    row.notes,
    row.artifact_id,
    row.still_running,
    row.duration_ms,
    prevHash,
  ];
}

/** SHA-256 of the canonical JSON of a call's arguments, hex; null for a value that is not JSON at all. */
function digestOf(params: unknown): string | null {
  try {
    return sha256("sha256", canonicalJson(params ?? null));
  } catch {
    return null;
  }
}

export function storedCallId(callId: string): string {
  return boundedText(callId, maxNameChars);
}

function keysOf(call: LedgerCall, runId: string) {
  return {
    call_id: storedCallId(call.callId),
    run_id: runId,
    tool_name: boundedText(call.toolName, maxNameChars),
    scope: boundedText(call.scope, maxNameChars),
  };
}

function factsOf(call: LedgerCall) {
  return {
    started_at: Math.trunc(call.startedAt),
    tool_version: name(call.toolVersion),
    task_id: name(call.taskId),
    agent_id: name(call.agentId),
    user_id: name(call.userId),
    channel: name(call.channel),
    idempotent: call.idempotent ? 1 : 0,
    decision: call.decision?.decision ?? null,
    decided_by: call.decision === undefined ? null : boundedText(call.decision.by, maxSummaryChars),
    params_digest: digestOf(call.params),
    params_text: boundedText(call.paramsText, maxParamsChars),
  };
}

function name(text: string | undefined): string | null {
  return text === undefined ? null : boundedText(text, maxNameChars);
}

/** Refusals by a rule, a person, a hook, or the caller's own list of tools. */
const refusals: ReadonlySet<string> = new Set(["TOOL_PERMISSION", "TOOL_BLOCKED", "TOOL_NOT_CALLABLE"]);

function stateOf({ success, code }: EndedOutcome): NonNullable<LedgerRow["outcome"]> {
  if (success) return "completed";
  if (code === "TOOL_CANCELLED") return "cancelled";
  return code !== undefined && refusals.has(code) ? "denied" : "failed";
}

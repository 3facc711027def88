import { hash as sha256 } from "node:crypto";
import { canonicalJson } from "../../base/index.ts";
import type { LedgerCall, LedgerOutcome } from "../../kernel/index.ts";
import type { ChainHead, SealedRow } from "../database.ts";
import { type LedgerRow, ledgerColumns } from "../tables.ts";
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
} as const;

export function startedRow(call: LedgerCall, runId: string): LooseRow {
  const at = Math.trunc(call.startedAt);
  return { ...keysOf(call, runId), event: "started", at, ...factsOf(call), ...noOutcome };
}

/** The end of a call: `alone` where the call has no other row, so that this one has to say what was called too. */
export function endedRow(call: LedgerCall, outcome: LedgerOutcome, runId: string, alone: boolean): LooseRow {
  return {
    ...keysOf(call, runId),
    event: "ended",
    at: Math.trunc(outcome.completedAt),
    ...(alone ? factsOf(call) : noCall),
    outcome: stateOf(outcome),
    code: name(outcome.code),
    summary: boundedText(outcome.summary, maxSummaryChars),
    notes: boundedNotes(outcome.notes),
    artifact_id: name(outcome.artifactId),
    still_running: outcome.stillRunning ? 1 : 0,
    duration_ms: Number.isFinite(outcome.durationMs) ? outcome.durationMs : null,
  };
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
  const values = valuesOf({ ...row, seq, start_seq: startSeq, prev_hash: head.hash });
  const hash = hashOf(values);
  values.push(hash);
  return { seq, hash, values };
}

/** The hash that a row ought to have. */
export function expectedHash(row: LedgerRow): string {
  return hashOf(valuesOf(row));
}

const hashedColumns = ledgerColumns.slice(0, -1) as readonly Exclude<keyof LedgerRow, "hash">[];

function valuesOf(row: Omit<LedgerRow, "hash">): (string | number | null)[] {
  return hashedColumns.map((column) => row[column]);
}

/** SHA-256 over a JSON array of every other column of the row, the previous hash among them. */
function hashOf(values: readonly (string | number | null)[]): string {
  return sha256("sha256", JSON.stringify(values));
}

/** SHA-256 of the canonical JSON of a call's arguments, hex; null for a value that is not JSON at all. */
export function digestOf(params: unknown): string | null {
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

function stateOf({ success, code }: LedgerOutcome): NonNullable<LedgerRow["outcome"]> {
  if (success) return "completed";
  if (code === "TOOL_CANCELLED") return "cancelled";
  return code !== undefined && refusals.has(code) ? "denied" : "failed";
}

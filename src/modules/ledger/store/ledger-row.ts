import { hash as sha256 } from "node:crypto";
import { canonicalJson } from "../../../base/index.ts";
import { boundedText } from "../../../db/index.ts";
import type { LedgerCall, LedgerOutcome } from "../../../kernel/index.ts";
import { erasableColumns, sealTexts } from "./erasable-texts.ts";
import type { ChainHead, SealedRow } from "./ledger-chain.ts";
import { type LedgerRow, ledgerColumns } from "./tables.ts";

/** A row that has no place in the chain yet. */
export type LooseRow = Omit<
  LedgerRow,
  "seq" | "start_seq" | "prev_hash" | "hash" | "texts_hash" | "texts_salt"
>;

/** Ids and names; a longer one is cut, the same way each time. */
const maxNameChars = 300;
/** Enough for a person to see what was asked; the digest stands for the whole. */
const maxParamsChars = 4000;
const maxSummaryChars = 500;
const maxPathChars = 4000;
const maxNotes = 50;
const maxNoteChars = 500;

type Keys = Pick<LooseRow, "call_id" | "run_id" | "tool_name" | "scope">;
type Facts = Pick<
  LooseRow,
  | "started_at"
  | "tool_version"
  | "task_id"
  | "agent_id"
  | "user_id"
  | "channel"
  | "idempotent"
  | "decision"
  | "decided_by"
  | "params_digest"
  | "params_text"
  | "client_name"
  | "client_version"
  | "session"
  | "project"
  | "parent_call_id"
  | "root_call_id"
>;
type Outcome = Omit<LooseRow, "event" | "at" | keyof Keys | keyof Facts>;

const noCall: Facts = {
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
  client_name: null,
  client_version: null,
  session: null,
  project: null,
  parent_call_id: null,
  root_call_id: null,
};

const noOutcome: Outcome = {
  outcome: null,
  code: null,
  summary: null,
  notes: null,
  artifact_id: null,
  still_running: null,
  duration_ms: null,
  result_digest: null,
};

export function startedRow(call: LedgerCall, runId: string): LooseRow {
  return looseRow(toKeys(call, runId), "started", Math.trunc(call.startedAt), toFacts(call), noOutcome);
}

/** The end of a call: `alone` where the call has no other row, so that this one has to say what was called too. */
export function endedRow(call: LedgerCall, outcome: EndedOutcome, runId: string, alone: boolean): LooseRow {
  const facts = alone ? toFacts(call) : noCall;
  return looseRow(toKeys(call, runId), "ended", Math.trunc(outcome.completedAt), facts, toOutcome(outcome));
}

/** The one row of a call whose end is known before its start is written: what was called, and what came of it. */
export function wholeRow(started: LooseRow, outcome: EndedOutcome): LooseRow {
  return looseRow(started, "ended", Math.trunc(outcome.completedAt), started, toOutcome(outcome));
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
  return looseRow({ call_id, tool_name, scope, run_id: runId }, "unknown", at, noCall, noOutcome);
}

/** Written out: an object that is spread together from parts is slow to make, and slow to read ever after. */
function looseRow(
  keys: Keys,
  event: LooseRow["event"],
  at: number,
  facts: Facts,
  outcome: Outcome,
): LooseRow {
  return {
    call_id: keys.call_id,
    event,
    run_id: keys.run_id,
    at,
    started_at: facts.started_at,
    tool_name: keys.tool_name,
    tool_version: facts.tool_version,
    scope: keys.scope,
    task_id: facts.task_id,
    agent_id: facts.agent_id,
    user_id: facts.user_id,
    channel: facts.channel,
    idempotent: facts.idempotent,
    decision: facts.decision,
    decided_by: facts.decided_by,
    params_digest: facts.params_digest,
    params_text: facts.params_text,
    outcome: outcome.outcome,
    code: outcome.code,
    summary: outcome.summary,
    notes: outcome.notes,
    artifact_id: outcome.artifact_id,
    still_running: outcome.still_running,
    duration_ms: outcome.duration_ms,
    result_digest: outcome.result_digest,
    client_name: facts.client_name,
    client_version: facts.client_version,
    session: facts.session,
    project: facts.project,
    parent_call_id: facts.parent_call_id,
    root_call_id: facts.root_call_id,
  };
}

export type UnfinishedRow = Pick<
  LedgerRow,
  "seq" | "call_id" | "tool_name" | "scope" | "params_text" | "project"
>;

/** Gives a row its place in the chain. */
export function seal(row: LooseRow, startSeq: number | null, head: ChainHead): SealedRow {
  const seq = head.seq + 1;
  const values = chainedValues(row, seq, startSeq, head.hash);
  const late = lateValues(row);
  const texts = sealTexts(row);
  late.push(texts.hash);
  const hash = hashRow(values, late);
  values.push(hash, ...late, texts.salt);
  return { seq, hash, values };
}

/** The hash that a row ought to have. */
export function expectedHash(row: LedgerRow): string {
  const values = chainedValues(row, row.seq, row.start_seq, row.prev_hash);
  return hashRow(values, [...lateValues(row), row.texts_hash]);
}

/**
 * SHA-256 over a JSON array of every other column, the previous hash among them. Columns that were added later are left
 * out if they and all after them are null, so a row without them hashes as before, and one that loses or gains one does
 * not. The last of them, the digest of the texts, replaces the texts themselves.
 */
function hashRow(values: readonly (string | number | null)[], late: readonly (string | null)[]): string {
  if (late.at(-1) !== null) {
    const bare = [...values, ...late];
    for (const place of textPlaces) bare[place] = null;
    return sha256("sha256", JSON.stringify(bare));
  }
  const told = late.findLastIndex((value) => value !== null) + 1;
  return sha256("sha256", JSON.stringify([...values, ...late.slice(0, told)]));
}

/** The positions of the texts in the hashed array, which is `ledgerColumns` without `hash`. */
const textPlaces = erasableColumns.map((column) =>
  ledgerColumns.filter((each) => each !== "hash").indexOf(column),
);

type LateColumns = Pick<
  LedgerRow,
  | "result_digest"
  | "client_name"
  | "client_version"
  | "session"
  | "project"
  | "parent_call_id"
  | "root_call_id"
>;

/** The columns after `hash`, in order, without those of the texts' digest. */
function lateValues(row: LateColumns): (string | null)[] {
  return [
    row.result_digest,
    row.client_name,
    row.client_version,
    row.session,
    row.project,
    row.parent_call_id,
    row.root_call_id,
  ];
}

/**
 * The values in the order of `ledgerColumns`, up to `prev_hash`. Written out, because a loop over the names
 * takes eight times as long.
 */
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
export function digestParams(params: unknown): string | null {
  try {
    return sha256("sha256", canonicalJson(params ?? null));
  } catch {
    return null;
  }
}

/** The note of a call whose texts were erased, with who did it. */
export function erasedRow(
  { call_id, tool_name, scope }: Omit<Keys, "run_id">,
  { runId, at, by }: { readonly runId: string; readonly at: number; readonly by: string },
): LooseRow {
  const facts = { ...noCall, decided_by: boundedText(by, maxSummaryChars) };
  return looseRow({ call_id, tool_name, scope, run_id: runId }, "erased", at, facts, noOutcome);
}

export function storedName(name: string): string {
  return boundedText(name, maxNameChars);
}

function toKeys(call: LedgerCall, runId: string): Keys {
  return {
    call_id: storedName(call.callId),
    run_id: runId,
    tool_name: boundedText(call.toolName, maxNameChars),
    scope: boundedText(call.scope, maxNameChars),
  };
}

function toFacts(call: LedgerCall): Facts {
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
    params_digest: digestParams(call.params),
    params_text: boundedText(call.paramsText, maxParamsChars),
    client_name: name(call.client?.name),
    client_version: name(call.client?.version),
    session: name(call.session),
    project: call.project === undefined ? null : boundedText(call.project, maxPathChars),
    parent_call_id: name(call.parentCallId),
    root_call_id: name(call.rootCallId),
  };
}

function toOutcome(outcome: EndedOutcome): Outcome {
  return {
    outcome: toState(outcome),
    code: name(outcome.code),
    summary: outcome.summary,
    notes: boundNotes(outcome.notes),
    artifact_id: name(outcome.artifactId),
    still_running: outcome.stillRunning ? 1 : 0,
    duration_ms: Number.isFinite(outcome.durationMs) ? outcome.durationMs : null,
    result_digest: outcome.resultDigest,
  };
}

/** Formats notes as a JSON array; the last entry says how many were left out. */
function boundNotes(notes: readonly string[]): string {
  if (notes.length === 0) return "[]";
  const kept = notes.slice(0, maxNotes).map((note) => boundedText(note, maxNoteChars));
  if (notes.length > maxNotes) kept.push(`and ${notes.length - maxNotes} more notes`);
  return JSON.stringify(kept);
}

function name(text: string | undefined): string | null {
  return text === undefined ? null : boundedText(text, maxNameChars);
}

/** Refusals by a rule, a person, a hook, or the caller's own list of tools. */
const refusals: ReadonlySet<string> = new Set(["TOOL_PERMISSION", "TOOL_BLOCKED", "TOOL_NOT_CALLABLE"]);

function toState({ success, code }: EndedOutcome): NonNullable<LedgerRow["outcome"]> {
  if (success) return "completed";
  if (code === "TOOL_CANCELLED") return "cancelled";
  return code !== undefined && refusals.has(code) ? "denied" : "failed";
}

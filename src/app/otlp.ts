import { hash } from "node:crypto";
import type { CallRecord } from "../modules/ledger/index.ts";

/**
 * A span of OTLP/JSON: ids in hex, times as decimal texts of Unix nanoseconds, enumerations as numbers.
 * https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 */
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Attribute {
  readonly key: string;
  readonly value: AttributeValue;
}

type AttributeValue =
  | { readonly stringValue: string }
  | { readonly boolValue: boolean }
  | { readonly intValue: string }
  | { readonly arrayValue: { readonly values: readonly AttributeValue[] } };

const internalSpan = 1;
const errorStatus = 2;

/** Traces with the given spans, as one line. */
export function formatTraces(spans: readonly string[], version: string): string {
  const resource = { attributes: toAttributes({ "service.name": "haft", "service.version": version }) };
  const scope = { name: "haft.ledger", version };
  return `{"resourceSpans":[{"resource":${JSON.stringify(resource)},"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[${spans.join(",")}]}]}]}`;
}

/**
 * One call. Calls of a task are one trace; any other call is a trace with the calls that it led to. The same call always gives the same ids.
 * Names are those of the semantic conventions for generative AI where they have one, and begin with `haft.` otherwise.
 */
export function toSpan(call: CallRecord): Span {
  const { scope, taskId, callId, rootCallId, seq, toolName, state, code } = call;
  return {
    traceId: toId(["trace", scope, taskId === undefined ? (rootCallId ?? callId) : `task ${taskId}`], 32),
    spanId: toId(["span", callId, call.hash, seq], 16),
    name: `execute_tool ${toolName}`,
    kind: internalSpan,
    startTimeUnixNano: toNanos(call.startedAt),
    endTimeUnixNano: toNanos(Math.max(call.startedAt, call.endedAt ?? call.startedAt)),
    attributes: toAttributes(toFacts(call)),
    status: failed(call) ? { code: errorStatus, message: code ?? state } : {},
  };
}

/** A call that runs has not failed, and one that nobody knows the end of has. */
function failed({ state }: CallRecord): boolean {
  return state !== "completed" && state !== "started";
}

function toFacts(call: CallRecord): Record<string, Fact> {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": call.toolName,
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": call.callId,
    "gen_ai.tool.call.arguments": call.paramsText === "" ? undefined : call.paramsText,
    "gen_ai.agent.id": call.agentId,
    "user.id": call.userId,
    "error.type": failed(call) ? (call.code ?? call.state) : undefined,
    "haft.call.state": call.state,
    "haft.call.idempotent": call.idempotent,
    "haft.call.still_running": call.stillRunning,
    "haft.tool.version": call.toolVersion,
    "haft.scope": call.scope,
    "haft.task.id": call.taskId,
    "haft.call.parent": call.parent?.callId,
    "haft.run.id": call.runId,
    "haft.channel": call.channel,
    "haft.client.name": call.client?.name,
    "haft.client.version": call.client?.version,
    "haft.session": call.session,
    "haft.project": call.project,
    "haft.decision": call.decision?.decision,
    "haft.decision.by": call.decision?.by,
    "haft.arguments.digest": call.paramsDigest,
    "haft.result.summary": call.summary,
    "haft.result.digest": call.resultDigest,
    "haft.artifact.id": call.artifactId,
    "haft.notes": call.notes.length === 0 ? undefined : call.notes,
    "haft.ledger.seq": call.seq,
    "haft.ledger.hash": call.hash,
    "haft.ledger.end_seq": call.end?.seq,
    "haft.ledger.end_hash": call.end?.hash,
  };
}

type Fact = string | number | boolean | readonly string[] | undefined;

function toAttributes(facts: Readonly<Record<string, Fact>>): Attribute[] {
  return Object.entries(facts).flatMap(([key, fact]) =>
    fact === undefined ? [] : [{ key, value: toValue(fact) }],
  );
}

function toValue(fact: Exclude<Fact, undefined>): AttributeValue {
  if (typeof fact === "string") return { stringValue: fact };
  if (typeof fact === "boolean") return { boolValue: fact };
  if (typeof fact === "number") return { intValue: String(fact) };
  return { arrayValue: { values: fact.map((text) => ({ stringValue: text })) } };
}

function toId(parts: readonly (string | number)[], chars: number): string {
  return hash("sha256", JSON.stringify(parts)).slice(0, chars);
}

function toNanos(ms: number): string {
  return String(BigInt(Math.trunc(ms)) * 1_000_000n);
}

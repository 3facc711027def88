import type { ApprovalStore } from "../../modules/approvals/index.ts";
import type { CallQuery, CallRecord, LedgerStore } from "../../modules/ledger/index.ts";
import type { Run, Runs, Sessions } from "../../modules/sessions/index.ts";
import type { ModelCall, Usage } from "../../modules/usage/index.ts";
import { allCalls } from "../all-calls.ts";
import type { TraceSpan } from "./trace-span.ts";
import { readWaits } from "./waits.ts";

export type { TraceSpan } from "./trace-span.ts";

/** The records that a trace is made of. */
export interface TraceStore {
  readonly ledger: Pick<LedgerStore, "list" | "show">;
  readonly usage: Pick<Usage, "list">;
  readonly runs: Pick<Runs, "get" | "list">;
  readonly sessions: Pick<Sessions, "get">;
  readonly approvals: Pick<ApprovalStore, "get">;
}

/**
 * The trace of a run, of the newest run of a session, or of the outermost call around a call. Undefined if there is
 * nothing of this id.
 */
export async function readTrace(
  store: TraceStore,
  of: { readonly scope: string; readonly id: string; readonly signal: AbortSignal },
): Promise<TraceSpan | undefined> {
  const { scope, id, signal } = of;
  const run = await findRun(store, scope, id);
  if (run !== undefined) return traceRun(store, run, signal);
  const call = await store.ledger.show(id);
  if (call === undefined) return undefined;
  const root = call.rootCallId === undefined ? call : ((await store.ledger.show(call.rootCallId)) ?? call);
  const calls = await listCalls(store.ledger, { rootCallId: root.callId }, signal);
  return toCallSpan(root, await readContents(store, [root, ...calls]));
}

async function findRun({ runs, sessions }: TraceStore, scope: string, id: string): Promise<Run | undefined> {
  const run = await runs.get(scope, id);
  if (run !== undefined || (await sessions.get(scope, id)) === undefined) return run;
  return (await runs.list({ scope, sessionId: id, limit: 1 }))[0];
}

async function traceRun(store: TraceStore, run: Run, signal: AbortSignal): Promise<TraceSpan> {
  const [requests, calls] = await Promise.all([
    store.usage.list(run.scope, run.id),
    listCalls(store.ledger, { taskId: run.id }, signal),
  ]);
  const ids = new Set(calls.map(({ callId }) => callId));
  const contents = await readContents(store, calls);
  const outermost = calls.filter(({ parent }) => parent === undefined || !ids.has(parent.callId));
  return {
    kind: "run",
    id: run.id,
    name: run.agentId,
    state: run.state,
    startedAt: run.createdAt,
    endedAt: run.endedAt,
    about: `${run.steps} steps`,
    code: run.why,
    tokens: undefined,
    costMicros: undefined,
    spans: inOrder([...requests.map(toModelSpan), ...outermost.map((call) => toCallSpan(call, contents))]),
  };
}

function toModelSpan({ id, model, purpose, step, startedAt, endedAt, error, usage }: ModelCall): TraceSpan {
  const ended = error === undefined ? "completed" : "failed";
  return {
    kind: "model",
    id,
    name: model,
    state: endedAt === undefined ? "started" : ended,
    startedAt,
    endedAt,
    about: step === undefined ? purpose : `${purpose} ${step}`,
    code: error,
    tokens: usage.inputTokens + usage.outputTokens,
    costMicros: usage.costMicros,
    spans: [],
  };
}

/** What is within calls, by the id of the call. */
interface Contents {
  readonly inner: ReadonlyMap<string, readonly CallRecord[]>;
  readonly waits: ReadonlyMap<string, readonly TraceSpan[]>;
}

async function readContents({ approvals }: TraceStore, calls: readonly CallRecord[]): Promise<Contents> {
  return { inner: groupByParent(calls), waits: await readWaits(approvals, calls) };
}

function toCallSpan(call: CallRecord, contents: Contents): TraceSpan {
  const { callId, toolName, state, startedAt, endedAt, paramsText, code } = call;
  return {
    kind: "call",
    id: callId,
    name: toolName,
    state,
    startedAt,
    endedAt,
    about: paramsText,
    code,
    tokens: undefined,
    costMicros: undefined,
    spans: inOrder([
      ...(contents.waits.get(callId) ?? []),
      ...(contents.inner.get(callId) ?? []).map((one) => toCallSpan(one, contents)),
    ]),
  };
}

function groupByParent(calls: readonly CallRecord[]): Contents["inner"] {
  return Map.groupBy(
    calls.filter(({ parent }) => parent !== undefined),
    ({ parent }) => parent?.callId ?? "",
  );
}

function inOrder(spans: readonly TraceSpan[]): readonly TraceSpan[] {
  return spans.toSorted((a, b) => a.startedAt - b.startedAt);
}

/** The calls that a call made itself, in their order. */
export async function listInnerCalls(
  ledger: TraceStore["ledger"],
  { callId, rootCallId }: CallRecord,
  signal: AbortSignal,
): Promise<readonly CallRecord[]> {
  const calls = await listCalls(ledger, { rootCallId: rootCallId ?? callId }, signal);
  return calls.filter(({ parent }) => parent?.callId === callId);
}

async function listCalls(
  ledger: TraceStore["ledger"],
  of: CallQuery,
  signal: AbortSignal,
): Promise<readonly CallRecord[]> {
  const calls: CallRecord[] = [];
  for await (const page of allCalls(ledger, of, signal)) calls.push(...page);
  return calls;
}

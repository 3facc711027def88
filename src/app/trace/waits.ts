import { readWaitNote } from "../../kernel/index.ts";
import type { ApprovalStore } from "../../modules/approvals/index.ts";
import type { CallRecord } from "../../modules/ledger/index.ts";
import type { TraceSpan } from "./trace-span.ts";

/** Reads the spans in which calls waited for a person or for their turn, by call id. */
export async function readWaits(
  approvals: Pick<ApprovalStore, "get">,
  calls: readonly CallRecord[],
): Promise<ReadonlyMap<string, readonly TraceSpan[]>> {
  const waits = new Map<string, readonly TraceSpan[]>();
  for (const call of calls) {
    const turns = call.notes.flatMap((note) => toTurnSpan(call, note) ?? []);
    const questions: TraceSpan[] = [];
    for (const id of call.notes.flatMap(readQuestion)) {
      const span = await readPersonSpan(approvals, call, id);
      if (span !== undefined) questions.push(span);
    }
    const own = [...questions, ...turns];
    if (own.length > 0) waits.set(call.callId, own);
  }
  return waits;
}

function toTurnSpan({ callId, startedAt }: CallRecord, note: string): TraceSpan | undefined {
  const wait = readWaitNote(note);
  if (wait === undefined) return undefined;
  const from = startedAt + wait.afterMs;
  return toSpan({
    kind: "turn",
    id: `${callId}.turn`,
    name: "its turn",
    state: "completed",
    startedAt: from,
    endedAt: from + wait.ms,
  });
}

/** The id of the question in a note of the ledger; empty for other notes. */
function readQuestion(note: string): readonly string[] {
  const [, id] = /^question: (\S+)$/.exec(note) ?? [];
  return id === undefined ? [] : [id];
}

/** The span of a question. Undefined if the question is gone, or if the call did not wait for its answer. */
async function readPersonSpan(
  approvals: Pick<ApprovalStore, "get">,
  { endedAt }: CallRecord,
  id: string,
): Promise<TraceSpan | undefined> {
  const question = await approvals.get(id);
  if (question === undefined) return undefined;
  const { createdAt: startedAt, answeredAt, answer, state, reason } = question;
  const until = Math.min(answeredAt ?? Number.POSITIVE_INFINITY, endedAt ?? Number.POSITIVE_INFINITY);
  if (until <= startedAt) return undefined;
  return toSpan({
    kind: "person",
    id,
    name: answer?.by ?? "a person",
    state,
    startedAt,
    endedAt: Number.isFinite(until) ? until : undefined,
    about: reason,
  });
}

type Wait = Pick<TraceSpan, "kind" | "id" | "name" | "state" | "startedAt" | "endedAt"> & {
  readonly about?: string;
};

function toSpan({ about = "", ...wait }: Wait): TraceSpan {
  return { ...wait, about, code: undefined, tokens: undefined, costMicros: undefined, spans: [] };
}

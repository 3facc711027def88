import { type CallHistory, findTool, type PastCall, type PastQuestion } from "../../agent/index.ts";
import { notBegunNote, type ToolRegistry, unansweredBy } from "../../kernel/index.ts";
import type { ApprovalStore, KeptApproval } from "../../modules/approvals/index.ts";
import type { CallRecord, KeptOutcome, LedgerStore } from "../../modules/ledger/index.ts";

/** Reads the ledger and the questions for a run that goes on where another process stopped. */
export function callHistory(
  ledger: LedgerStore,
  tools: Pick<ToolRegistry, "get" | "resolveName">,
  approvals: Pick<ApprovalStore, "get" | "list">,
): CallHistory {
  return {
    verify: (toolName) => findTool(tools, toolName)?.verify,
    find: async (callId) => {
      const record = await findSettled(ledger, callId);
      // A call that was cancelled before it began surely did not happen: it is made now.
      if (record?.state === "cancelled" && record.notes.includes(notBegunNote)) return undefined;
      if (record === undefined) return undefined;
      const past = toPastCall(record, await ledger.outcome(callId));
      const question = past.state === "ended" ? await findQuestion(record, approvals) : undefined;
      return question === undefined ? past : { ...past, question };
    },
    question: async (id) => toPastQuestion(await approvals.get(id)),
    questionOf: async (callId) => (await approvals.list({ callId })).find(({ reusable }) => reusable)?.id,
  };
}

/** The id of the unanswered question that a call was refused for. */
async function findQuestion(
  { decision, code, notes }: CallRecord,
  approvals: Pick<ApprovalStore, "get">,
): Promise<string | undefined> {
  if (code !== "TOOL_PERMISSION" || !unansweredBy.includes(decision?.by ?? "")) return undefined;
  const [, id] = notes.flatMap((note) => /^question: (\S+)$/.exec(note) ?? []);
  const question = id === undefined ? undefined : await approvals.get(id);
  return question?.reusable === true ? question.id : undefined;
}

function toPastQuestion(question: KeptApproval | undefined): PastQuestion {
  const { state, answer } = question ?? {};
  if (answer?.approved === false) {
    const { by, reason } = answer;
    return { state: "no", by, ...(reason !== undefined && { reason }) };
  }
  if (state === "pending") return { state: "open" };
  return state === "approved" || state === "used" ? { state: "yes" } : { state: "over" };
}

/** A call that seems to run may belong to a process that has died since the store was opened. */
async function findSettled(ledger: LedgerStore, callId: string): Promise<CallRecord | undefined> {
  const record = await ledger.show(callId);
  if (record?.state !== "started") return record;
  await ledger.recover();
  return ledger.show(callId);
}

function toPastCall(record: CallRecord, kept: KeptOutcome | undefined): PastCall {
  const { state, startedAt } = record;
  if (state === "started") return { state: "running" };
  if (state === "unknown") return { state: "unknown", isRepeatable: record.idempotent, startedAt };
  const { code, artifactId, notes } = record;
  return {
    state: "ended",
    outcome:
      kept === undefined
        ? {
            text: `${record.summary ?? ""}\n(This is how it ended; the rest of its output was not kept.)`,
            failed: state !== "completed",
            code,
            artifactId,
            notes,
            // An output that was not kept may have held text of others, and of this machine.
            trust: "untrusted",
            private: true,
          }
        : { ...kept, failed: !kept.success },
  };
}

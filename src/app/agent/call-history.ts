import { type CallHistory, findTool, type PastCall } from "../../agent/index.ts";
import { notBegunNote, type ToolRegistry } from "../../kernel/index.ts";
import type { CallRecord, KeptOutcome, LedgerStore } from "../../modules/ledger/index.ts";

/** Reads the ledger for a run that goes on where another process stopped. */
export function callHistory(
  ledger: LedgerStore,
  tools: Pick<ToolRegistry, "get" | "resolveName">,
): CallHistory {
  return {
    verify: (toolName) => findTool(tools, toolName)?.verify,
    find: async (callId) => {
      const record = await findSettled(ledger, callId);
      // What was cancelled before it began surely did not happen: it is made now.
      if (record?.state === "cancelled" && record.notes.includes(notBegunNote)) return undefined;
      return record && toPastCall(record, await ledger.outcome(callId));
    },
  };
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
            // An output that was not kept may have held text of others.
            trust: "untrusted",
          }
        : { ...kept, failed: !kept.success },
  };
}

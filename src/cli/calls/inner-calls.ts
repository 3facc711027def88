import type { CallRecord, LedgerStore } from "../../modules/ledger/index.ts";

/** The call that another one was made by: a chain or a script. */
export interface MakerOfCall {
  readonly callId: string;
  readonly toolName: string;
}

/** Undefined for a call that was made directly, and for one that has not ended. */
export function findMaker({ notes }: Pick<CallRecord, "notes">): MakerOfCall | undefined {
  const found = notes.findLast((note) => note.startsWith(mark))?.slice(mark.length);
  const at = found?.indexOf(", ") ?? -1;
  if (found === undefined || at <= 0) return undefined;
  return { callId: found.slice(0, at), toolName: found.slice(at + 2) };
}

/** The mark with which the gate notes who made a call. */
const mark = "within: ";
const pageSize = 1000;

/** The calls that a chain or script made and that have ended, in their order. */
export async function innerCalls(
  ledger: Pick<LedgerStore, "list">,
  { callId, runId, seq, endedAt }: CallRecord,
): Promise<readonly CallRecord[]> {
  const inner: CallRecord[] = [];
  const until = endedAt === undefined ? {} : { until: endedAt + 1 };
  let after: number | undefined = seq;
  while (after !== undefined) {
    const page: readonly CallRecord[] = await ledger.list({ runId, after, ...until, limit: pageSize });
    inner.push(...page.filter((call) => findMaker(call)?.callId === callId));
    after = page.length < pageSize ? undefined : page.at(-1)?.seq;
  }
  return inner;
}

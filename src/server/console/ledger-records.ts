import {
  type CallCount,
  type CallGroup,
  type EventCursor,
  type RecordEvents,
  type RecordedCallQuery,
  type Records,
  readTrace,
} from "../../app/index.ts";
import type { Store } from "../../app/store/index.ts";
import { type Clock, systemClock } from "../../base/index.ts";
import type { CallRecord } from "../../modules/ledger/index.ts";

const followMs = 200;
const pageCalls = 1000;

/** Records over the ports of a store in this thread. */
export function createLedgerRecords(store: Store, clock: Clock = systemClock): Records {
  const { ledger } = store;
  const list = async (query: RecordedCallQuery): Promise<readonly CallRecord[]> => {
    const { states, tools, codes, minMs, limit = 50, ...plain } = query;
    const narrow = {
      ...plain,
      ...(states?.length === 1 && { state: states[0] as CallRecord["state"] }),
      ...(tools?.length === 1 && { tool: tools[0] as string }),
    };
    const found: CallRecord[] = [];
    let place = {};
    while (found.length <= limit) {
      const page = await ledger.list({ ...narrow, ...place, limit: pageCalls });
      for (const call of page) {
        if (states !== undefined && !states.includes(call.state)) continue;
        if (tools !== undefined && !tools.includes(call.toolName)) continue;
        if (codes !== undefined && (call.code === undefined || !codes.includes(call.code))) continue;
        if (minMs !== undefined && (call.durationMs ?? 0) < minMs) continue;
        found.push(call);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < pageCalls) break;
      place = query.after === undefined ? { before: last.seq } : { after: last.seq };
    }
    return found;
  };
  return {
    async listCalls(query) {
      const { limit = 50 } = query;
      const found = await list(query);
      const [newest] = await ledger.list({ limit: 1 });
      return { rows: found.slice(0, limit), head: newest?.seq ?? 0, more: found.length > limit };
    },
    findCall: (callId) => ledger.show(callId),
    async countCalls(query, by) {
      const all = await list({ ...query, limit: 1_000_000 });
      const groups = Map.groupBy(all, (call) => readGroup(call, by));
      return Array.from(groups, ([value, calls]) => toCount(value, calls));
    },
    trace: ({ scope, id }, signal = new AbortController().signal) => readTrace(store, { scope, id, signal }),
    async verify(_options, signal) {
      return { ...(await ledger.verify(signal && { signal })), since: undefined };
    },
    follow: (after, signal) => follow(store, { after, signal, clock }),
    close: async () => {},
  };
}

async function* follow(
  { ledger }: Store,
  { after, signal, clock }: { after: EventCursor | "now"; signal: AbortSignal; clock: Clock },
): AsyncGenerator<RecordEvents> {
  let seq = after === "now" ? ((await ledger.list({ limit: 1 }))[0]?.end?.seq ?? 0) : after.ledger;
  yield { events: [], cursor: { ledger: seq, event: 0 } };
  while (!signal.aborted) {
    const calls = (await ledger.list({ limit: 100 })).filter((call) => (call.end?.seq ?? call.seq) > seq);
    if (calls.length > 0) {
      seq = Math.max(...calls.map((call) => call.end?.seq ?? call.seq));
      const events = calls.map((call) => ({
        seq: call.end?.seq ?? call.seq,
        at: call.endedAt ?? call.startedAt,
        kind: "call" as const,
        id: call.callId,
      }));
      yield { events, cursor: { ledger: seq, event: 0 } };
    }
    await new Promise<void>((resolve) => {
      const stop = clock.after(followMs, resolve);
      signal.addEventListener("abort", () => (stop(), resolve()), { once: true });
    });
  }
}

function readGroup(call: CallRecord, by: CallGroup): string {
  switch (by) {
    case "hour":
      return String(Math.floor(call.startedAt / 3_600_000) * 3_600_000);
    case "day":
      return String(Math.floor(call.startedAt / 86_400_000) * 86_400_000);
    case "tool":
      return call.toolName;
    case "agent":
      return call.agentId ?? "";
    case "client":
      return call.client?.name ?? "";
    case "state":
      return call.state;
    case "code":
      return call.code ?? "";
  }
}

function toCount(value: string, calls: readonly CallRecord[]): CallCount {
  const count = (...states: string[]) => calls.filter(({ state }) => states.includes(state)).length;
  const times = calls.flatMap(({ durationMs }) => durationMs ?? []).sort((a, b) => a - b);
  const at = (share: number) => times[Math.ceil(times.length * share) - 1];
  return {
    value,
    calls: calls.length,
    failed: count("failed", "unknown"),
    stopped: count("denied", "cancelled"),
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    p99Ms: at(0.99),
    lastAt: Math.max(...calls.map(({ startedAt }) => startedAt)),
  };
}

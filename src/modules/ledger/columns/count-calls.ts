import { findCallsAt } from "../store/call-records.ts";
import { type CallRecord, callStates } from "../store/ledger-store.ts";
import { blockRows, toBlockNumber, toStateNumber } from "./call-block.ts";
import { type CallSources, findCalls, type RecordedCallQuery } from "./find-calls.ts";

/** Fields by which calls are counted. Hours and days are those of UTC. */
export type CallGroup = "hour" | "day" | "tool" | "agent" | "client" | "state" | "code";

/** Counts and durations of the calls of one group. */
export interface CallCount {
  /** The value of the field, empty for calls without it. An hour or a day is its beginning in Unix ms, as digits. */
  readonly value: string;
  readonly calls: number;
  readonly failed: number;
  /** The number of calls that were denied or cancelled. */
  readonly stopped: number;
  /** The median duration of the calls that ended, in ms. Undefined if none has ended. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** The start of the newest call, in Unix ms. */
  readonly lastAt: number;
}

const maxGroups = 1000;
const timesMs = { hour: 3_600_000, day: 86_400_000 } as const;
const failed = toStateNumber("failed");
const stopped = new Set([toStateNumber("denied"), toStateNumber("cancelled")]);

interface Group {
  /** The `seq` of the first row of one of its calls. */
  readonly example: number;
  calls: number;
  failed: number;
  stopped: number;
  readonly durations: number[];
  lastAt: number;
}

/**
 * Counts the calls of a query by a field. The groups with the most calls come first; hours and days are in order of time.
 * If there are more than 1,000 groups, the largest, or the latest hours or days, are returned.
 */
export async function countCalls(
  sources: CallSources,
  query: RecordedCallQuery,
  by: CallGroup,
  signal?: AbortSignal,
): Promise<readonly CallCount[]> {
  const { columns, ledger } = sources;
  const groups = new Map<number, Group>();
  const isTime = by === "hour" || by === "day";
  const column = isTime ? "startedAt" : by;
  const span = isTime ? timesMs[by] : undefined;
  for await (const seqs of findCalls(sources, query, signal)) {
    if (seqs.length === 0) continue;
    const block = toBlockNumber(seqs[0] as number);
    const keys = columns.column(block, column);
    const states = columns.column(block, "state");
    const starts = columns.column(block, "startedAt");
    const durations = columns.column(block, "durationMs");
    for (const seq of seqs) {
      const place = seq % blockRows;
      const found = keys[place] as number;
      const key = span === undefined ? found : Math.floor(found / span) * span;
      let group = groups.get(key);
      if (group === undefined) {
        group = { example: seq, calls: 0, failed: 0, stopped: 0, durations: [], lastAt: 0 };
        groups.set(key, group);
      }
      const state = states[place] as number;
      const durationMs = durations[place] as number;
      group.calls++;
      if (state === failed) group.failed++;
      else if (stopped.has(state)) group.stopped++;
      if (!Number.isNaN(durationMs)) group.durations.push(durationMs);
      const startedAt = starts[place] as number;
      if (startedAt > group.lastAt) group.lastAt = startedAt;
    }
  }
  const chosen = choose([...groups], isTime);
  const examples = await findCallsAt(
    await ledger.queries(),
    chosen.map(([, { example }]) => example),
  );
  const bySeq = new Map(examples.map((call) => [call.seq, call]));
  return chosen.map(([key, group]) => ({
    value: isTime ? formatTime(key) : findValue(by, key, bySeq.get(group.example)),
    ...describe(group),
  }));
}

function choose(groups: [number, Group][], byTime: boolean): readonly (readonly [number, Group])[] {
  return byTime
    ? groups.sort(([a], [b]) => a - b).slice(-maxGroups)
    : groups
        .sort(([, a], [, b]) => b.calls - a.calls || b.lastAt - a.lastAt || b.example - a.example)
        .slice(0, maxGroups);
}

function describe(group: Group): Omit<CallCount, "value"> {
  const sorted = Float64Array.from(group.durations).sort();
  const percentile = (part: number) => sorted[Math.ceil(part * sorted.length) - 1];
  return {
    calls: group.calls,
    failed: group.failed,
    stopped: group.stopped,
    p50Ms: percentile(0.5),
    p95Ms: percentile(0.95),
    p99Ms: percentile(0.99),
    lastAt: group.lastAt,
  };
}

function formatTime(ms: number): string {
  return Number.isNaN(ms) ? "" : String(ms);
}

/** Finds the name of a group. The columns hold only its hash, so it is read from one of the calls. */
function findValue(
  by: Exclude<CallGroup, keyof typeof timesMs>,
  key: number,
  call: CallRecord | undefined,
): string {
  switch (by) {
    case "tool":
      return call?.toolName ?? "";
    case "agent":
      return call?.agentId ?? "";
    case "client":
      return call?.client?.name ?? "";
    case "code":
      return call?.code ?? "";
    case "state":
      return callStates[key - 1] ?? "";
    default:
      return by satisfies never;
  }
}

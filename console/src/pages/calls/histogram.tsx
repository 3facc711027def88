import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CallsAddress } from "../../../../src/server/console/api/index.ts";
import { type Axis, createTimeAxis } from "../../list/axis.ts";
import { ask } from "../../net/api.ts";
import { formatCounted } from "../../text/format.ts";

interface Bucket {
  readonly from: number;
  readonly rows: number;
  readonly failed: number;
}

/** How many calls there were over time. */
export interface CallsOverTime {
  readonly buckets: readonly Bucket[];
  readonly spanMs: number;
  readonly axis: Axis;
  readonly calls: number;
  readonly failed: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A bar a day for a longer time than this, else a bar an hour. */
const mostHours = 72;

/** Counts the calls that are listed, once the first rows are there. Undefined as long as it is not known. */
export function useHistogram(address: CallsAddress, wanted: boolean): CallsOverTime | undefined {
  const [found, setFound] = useState<CallsOverTime>();
  useEffect(() => {
    if (!wanted) return;
    const run = new AbortController();
    // The list does without.
    void count(address, run.signal).then(setFound, () => undefined);
    return () => run.abort();
  }, [address, wanted]);
  return found;
}

async function count(address: CallsAddress, signal: AbortSignal): Promise<CallsOverTime | undefined> {
  const days = await read(address, "day", signal);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const isShort = last.from - first.from < mostHours * hourMs;
  const buckets = isShort ? await read(address, "hour", signal) : days;
  const spanMs = isShort ? hourMs : dayMs;
  return {
    buckets,
    spanMs,
    axis: createTimeAxis(buckets, spanMs),
    calls: days.reduce((sum, { rows }) => sum + rows, 0),
    failed: days.reduce((sum, { failed }) => sum + failed, 0),
  };
}

async function read(
  address: CallsAddress,
  by: "day" | "hour",
  signal: AbortSignal,
): Promise<readonly Bucket[]> {
  const counts = await ask("GET /calls/count", { query: { ...address, by } }, signal);
  return counts
    .map(({ value, calls, failed }) => ({ from: Number(value), rows: calls, failed }))
    .toSorted((a, b) => a.from - b.from);
}

const width = 600;
const height = 36;

/** Calls over time as bars, failures marked; a click goes there in the list. */
export function Histogram({
  histogram: { buckets, spanMs, calls, failed },
  choose,
}: {
  readonly histogram: CallsOverTime;
  /** Unix ms. */
  readonly choose: (at: number) => void;
}): VNode | null {
  const first = buckets[0]?.from ?? 0;
  const last = buckets.at(-1)?.from ?? 0;
  const slots = Math.round((last - first) / spanMs) + 1;
  if (slots < 2) return null;
  const most = Math.max(...buckets.map(({ rows }) => rows));
  const slot = width / slots;
  return (
    <svg
      class="histogram"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${formatCounted(calls, "call")}, ${formatCounted(failed, "failure")}, from ${formatDay(first)} to ${formatDay(last)}`}
    >
      {buckets.map(({ from, rows, failed: bad }) => {
        const x = Math.round((from - first) / spanMs) * slot;
        const full = Math.max(1.5, (rows / most) * height);
        const red = bad === 0 ? 0 : Math.max(1.5, (bad / most) * height);
        return (
          <g key={from} onClick={() => choose(from + spanMs - 1)}>
            <title>{`${formatDay(from, spanMs)}: ${formatCounted(rows, "call")}, ${formatCounted(bad, "failure")}`}</title>
            <rect class="bar-hit" x={x} y={0} width={slot} height={height} />
            <rect
              class="bar"
              x={x}
              y={height - full}
              width={Math.max(0.5, slot - Math.min(1, slot / 4))}
              height={full}
            />
            <rect
              class="bar-bad"
              x={x}
              y={height - red}
              width={Math.max(0.5, slot - Math.min(1, slot / 4))}
              height={red}
            />
          </g>
        );
      })}
    </svg>
  );
}

function formatDay(at: number, spanMs = dayMs): string {
  return new Date(at).toLocaleString("sv-SE").slice(0, spanMs < dayMs ? 16 : 10);
}

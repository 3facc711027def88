import type { CallCount, CallGroup } from "../../app/index.ts";
import type { Terminal } from "../terminal.ts";
import { renderTable } from "../text/table.ts";

const titles: Readonly<Record<CallGroup, string>> = {
  hour: "Hour (UTC)",
  day: "Day (UTC)",
  tool: "Tool",
  agent: "Agent",
  client: "Client",
  state: "Outcome",
  code: "Code",
};

const mostRows = 50;
const widestBar = 30;
/** Terminal columns that the other columns of the table take. */
const takenByOthers = 70;

/** Renders a line for each group with its number of calls, failures and durations, and with a bar for hours and days. */
export function renderCounts(counts: readonly CallCount[], by: CallGroup, terminal: Terminal): string {
  const isTime = by === "hour" || by === "day";
  const shown = isTime ? counts.slice(-mostRows) : counts.slice(0, mostRows);
  const most = Math.max(1, ...shown.map(({ calls }) => calls));
  const room = Math.min(widestBar, Math.max(0, terminal.width - takenByOthers));
  const bar = (calls: number) => "#".repeat(Math.ceil((calls / most) * room));
  const withBars = isTime && room > 5;
  const table = renderTable(
    [
      { title: titles[by], overflow: "wrap", paint: (text) => terminal.paint("bold", text) },
      ...(withBars ? [{ title: "", paint: (text: string) => terminal.paint("cyan", text) }] : []),
      ...["Calls", "Failed", "Stopped", "p50 ms", "p95 ms", "p99 ms"].map((title) => ({
        title,
        align: "right" as const,
      })),
    ],
    shown.map((count) => [
      formatValue(count.value, by, terminal),
      ...(withBars ? [bar(count.calls)] : []),
      ...[count.calls, count.failed, count.stopped].map((one) => one.toLocaleString("en")),
      ...[count.p50Ms, count.p95Ms, count.p99Ms].map(formatMs),
    ]),
    {
      width: terminal.width,
      paintTitle: (text) => terminal.paint("dim", text),
      leastTold: ["p99 ms", "Stopped", "p50 ms"],
    },
  );
  const more = counts.length - shown.length;
  return more === 0 ? table : `${table}… ${more} more (--json has all)\n`;
}

function formatValue(value: string, by: CallGroup, terminal: Terminal): string {
  if (value === "") return "(none)";
  if (by !== "hour" && by !== "day") return terminal.foreign(value);
  return new Date(Number(value))
    .toISOString()
    .slice(0, by === "day" ? 10 : 16)
    .replace("T", " ");
}

function formatMs(ms: number | undefined): string {
  if (ms === undefined) return "";
  return ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString("en");
}

import { countTokens, type UsageReport } from "../../app/usage/index.ts";
import type { UsageKey, UsageTotal } from "../../modules/usage/index.ts";
import type { Terminal } from "../terminal.ts";
import { wrapText } from "../text/display-width.ts";
import { renderTable } from "../text/table.ts";
import { formatUsd } from "./format-usd.ts";

const dayMs = 86_400_000;
const mostRows = 20;

/** Renders the total, a bar for each day, and tables by model, agent and purpose. */
export function renderUsage(report: UsageReport, terminal: Terminal): string {
  const { byModel, byAgent, byPurpose } = report;
  return [
    renderSum(report, terminal),
    "\n",
    renderDays(report, terminal),
    "\n",
    renderTotals("model", byModel, terminal),
    ...(hasNames("agent", byAgent) ? ["\n", renderTotals("agent", byAgent, terminal)] : []),
    ...(byPurpose.length > 1 ? ["\n", renderTotals("purpose", byPurpose, terminal)] : []),
  ].join("");
}

function hasNames(key: UsageKey, totals: readonly UsageTotal[]): boolean {
  return totals.some(({ keys }) => keys[key] !== null);
}

function renderSum({ total, days }: UsageReport, terminal: Terminal): string {
  const { calls, unpriced, estimated, open, inputTokens, cacheReadTokens } = total;
  const span = days === 1 ? "today" : `in ${days} days`;
  const cached =
    inputTokens === 0 ? "" : `, ${formatShare(cacheReadTokens / inputTokens)} of the input from caches`;
  const cost = total.costMicros === undefined ? "Unpriced" : formatUsd(total.costMicros);
  const lines = [
    `${terminal.paint("bold", cost)} ${span}: ${describeCount(calls, "request")}, ${formatCount(countTokens(total))} tokens${cached}`,
    ...(unpriced > 0 && total.costMicros !== undefined
      ? [`+ ${describeCount(unpriced, "request")} unpriced`]
      : []),
    ...(unpriced > 0 ? ["→ `prices` of a model in the configuration say what it costs"] : []),
    ...(estimated > 0
      ? [`${describeCount(estimated, "request")} counted with the most that it may take`]
      : []),
    ...(open > 0 ? [`${describeCount(open, "request")} under way`] : []),
  ];
  return wrapText(lines.join("\n"), terminal.width)
    .map((line) => `${line}\n`)
    .join("");
}

/** A line for each day, or for several days where there are many, since the first with a request. */
function renderDays(report: UsageReport, terminal: Terminal): string {
  const step = report.days <= 45 ? 1 : report.days <= 320 ? 7 : 28;
  const slots = toSlots(report, step);
  const { costMicros = 0 } = report.total;
  // Without any price the bars are tokens.
  const measure = ({ micros, tokens }: DaySlot) => (costMicros > 0 ? micros : tokens);
  const most = Math.max(1, ...slots.map(measure));
  const labels = slots.map(formatSlot);
  const taken = dayWidth + 2 * gap.length + Math.max(...labels.map(({ length }) => length));
  const room = Math.max(1, Math.min(terminal.width, widestPlot) - taken);
  const lines = slots.map((slot, at) => {
    const length = Math.ceil((measure(slot) / most) * room);
    const bar = length === 0 ? "" : terminal.paint("cyan", "#".repeat(length));
    return `${slot.day}${gap}${bar}${" ".repeat(room - length)}${gap}${labels[at]}`.trimEnd();
  });
  const heading = step === 1 ? [] : [terminal.paint("dim", `Each line is ${step} days`)];
  return [...heading, ...lines].map((line) => `${line}\n`).join("");
}

const dayWidth = "2026-01-31".length;
const gap = "  ";
/** The widest plot, in columns: longer bars say no more. */
const widestPlot = 80;

/** The requests of one line of the plot. */
interface DaySlot {
  /** Its first day. */
  readonly day: string;
  calls: number;
  tokens: number;
  micros: number;
  unpriced: number;
}

function toSlots({ from, to, byDay }: UsageReport, step: number): readonly DaySlot[] {
  const start = Date.parse(from);
  const find = (day: string) => Math.floor((Date.parse(day) - start) / (step * dayMs));
  const slots = Array.from({ length: find(to) + 1 }, (_, at): DaySlot => {
    const day = new Date(start + at * step * dayMs).toISOString().slice(0, 10);
    return { day, calls: 0, tokens: 0, micros: 0, unpriced: 0 };
  });
  for (const one of byDay) {
    const slot = slots[find(one.keys.day ?? "")];
    if (slot === undefined) continue;
    slot.calls += one.calls;
    slot.tokens += countTokens(one);
    slot.micros += one.costMicros ?? 0;
    slot.unpriced += one.unpriced;
  }
  return slots.slice(
    Math.max(
      0,
      slots.findIndex(({ calls }) => calls > 0),
    ),
  );
}

function formatSlot({ calls, tokens, micros, unpriced }: DaySlot): string {
  if (calls === 0) return "";
  return unpriced === calls ? `${formatCount(tokens)} tokens` : formatUsd(micros);
}

const titles: Readonly<Record<UsageKey, string>> = {
  day: "Day",
  model: "Model",
  agent: "Agent",
  purpose: "Purpose",
  source: "Source",
  run: "Run",
  project: "Project",
};

/** A line for each value of a key, the first twenty but for days. */
export function renderTotals(key: UsageKey, totals: readonly UsageTotal[], terminal: Terminal): string {
  const listed = key === "day" ? totals : totals.slice(0, mostRows);
  const rows = listed.map((total) => [
    total.keys[key] === null ? "(none)" : terminal.foreign(total.keys[key] ?? ""),
    formatCount(total.calls),
    formatCount(countTokens(total)),
    total.inputTokens === 0 ? "" : formatShare(total.cacheReadTokens / total.inputTokens),
    formatCount(total.outputTokens),
    formatCost(total),
  ]);
  const more = totals.length - listed.length;
  return [
    renderTable(
      [
        { title: titles[key], overflow: "wrap", paint: (text) => terminal.paint("bold", text) },
        { title: "Requests", align: "right" },
        { title: "Tokens", align: "right" },
        { title: "Cached", align: "right" },
        { title: "Output", align: "right" },
        { title: "Cost", align: "right" },
      ],
      rows,
      {
        width: terminal.width,
        paintTitle: (text) => terminal.paint("dim", text),
        leastTold: ["Output", "Cached", "Requests"],
      },
    ),
    ...(more > 0 ? [`… ${more} more (--csv and --json have all)\n`] : []),
  ].join("");
}

/** What the calls of one tool came to. */
export interface ToolCount {
  readonly tool: string;
  readonly calls: number;
  readonly failed: number;
  readonly denied: number;
  readonly ms: number;
}

/** A line for each tool, those that were called most first. */
export function renderTools(tools: readonly ToolCount[], terminal: Terminal): string {
  return renderTable(
    [
      { title: "Tool", overflow: "wrap", paint: (text) => terminal.paint("bold", text) },
      { title: "Calls", align: "right" },
      { title: "Failed", align: "right" },
      { title: "Denied", align: "right" },
      { title: "Time", align: "right" },
    ],
    tools.map(({ tool, calls, failed, denied, ms }) => [
      terminal.foreign(tool),
      formatCount(calls),
      formatCount(failed),
      formatCount(denied),
      `${(ms / 1000).toFixed(1)} s`,
    ]),
    {
      width: terminal.width,
      paintTitle: (text) => terminal.paint("dim", text),
      leastTold: ["Denied", "Failed"],
    },
  );
}

function formatCost({ costMicros, unpriced, calls }: UsageTotal): string {
  if (costMicros === undefined) return calls === 0 ? "" : "unpriced";
  return unpriced === 0 ? formatUsd(costMicros) : `${formatUsd(costMicros)} + ${unpriced} unpriced`;
}

function formatCount(count: number): string {
  return count.toLocaleString("en");
}

function formatShare(share: number): string {
  return `${Math.round(100 * share)} %`;
}

function describeCount(count: number, what: string): string {
  return `${formatCount(count)} ${count === 1 ? what : `${what}s`}`;
}

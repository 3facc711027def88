import type { TraceSpan } from "../../app/index.ts";
import { showInvisible } from "../../base/index.ts";
import type { Terminal } from "../terminal.ts";
import { renderTable } from "../text/table.ts";
import { formatUsd } from "../usage/format-usd.ts";

/** Columns of the bar that shows when a span ran. */
const barWidth = 24;

interface Line {
  readonly span: TraceSpan;
  readonly depth: number;
}

/** A line for each span, what it led to below it: when it began, how long it took, and a bar on the time of the whole. */
export function renderTrace(
  trace: TraceSpan,
  terminal: Pick<Terminal, "width" | "paint">,
  now: number,
): string {
  const lines = listLines(trace);
  let from = trace.startedAt;
  for (const { span } of lines) from = Math.min(from, span.startedAt);
  let to = from + 1;
  for (const { span } of lines) to = Math.max(to, span.endedAt ?? now);
  return renderTable(
    [
      { title: "At", align: "right" },
      { title: "Took", align: "right" },
      { title: "", paint: (text) => terminal.paint("cyan", text) },
      { title: "What" },
      { title: "State" },
      { title: "About", overflow: "cut" },
    ],
    lines.map(({ span, depth }) => [
      formatTime(span.startedAt - from),
      span.endedAt === undefined ? "…" : formatTime(span.endedAt - span.startedAt),
      drawBar(span.startedAt - from, (span.endedAt ?? now) - from, to - from),
      `${"  ".repeat(depth)}${oneLine(span.name)}`,
      span.code === undefined ? span.state : `${span.state} [${oneLine(span.code)}]`,
      describe(span),
    ]),
    {
      width: terminal.width,
      paintTitle: (text) => terminal.paint("dim", text),
      leastTold: ["About", "At", ""],
    },
  );
}

function listLines(trace: TraceSpan): readonly Line[] {
  const lines: Line[] = [];
  const waiting: Line[] = [{ span: trace, depth: 0 }];
  for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
    lines.push(line);
    const { span, depth } = line;
    for (const inner of span.spans.toReversed()) waiting.push({ span: inner, depth: depth + 1 });
  }
  return lines;
}

function describe({ id, kind, about, tokens, costMicros }: TraceSpan): string {
  const facts = [
    kind === "run" ? `${id}, ${about}` : oneLine(about),
    tokens === undefined ? "" : `${tokens.toLocaleString("en-US")} tokens`,
    costMicros === undefined ? "" : formatUsd(costMicros),
  ];
  return facts.filter((fact) => fact !== "").join(", ");
}

/** At least one block wide, so that what was quick is seen. */
function drawBar(from: number, to: number, whole: number): string {
  const begin = Math.min(barWidth - 1, Math.floor((from / whole) * barWidth));
  const end = Math.max(begin + 1, Math.round((to / whole) * barWidth));
  return " ".repeat(begin) + "█".repeat(end - begin) + " ".repeat(barWidth - end);
}

/** `12 ms`, `3.4 s`, `2 min 5 s`. */
function formatTime(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

function oneLine(text: string): string {
  return showInvisible(text.replaceAll("\n", " "));
}

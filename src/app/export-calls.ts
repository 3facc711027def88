import type { CallRecord } from "../modules/ledger/index.ts";
import { formatTraces, toSpan } from "./otlp.ts";

/** `jsonl`: a line of JSON for each call. `otlp`: OpenTelemetry traces as lines of OTLP/JSON, a span for each call. */
export type ExportFormat = "jsonl" | "otlp";

/**
 * Readers of OTLP lines refuse those over a megabyte; a span takes some two thousand characters and at the very most
 * a tenth of a megabyte.
 */
const maxLineChars = 250_000;

/**
 * Writes calls as text, in pieces of whole lines.
 *
 * @example
 * ```ts
 * await using app = await createApp({ folder: process.cwd(), home: new Home(`${process.cwd()}/.home`) });
 * await app.executor.run("glob", { pattern: "*.md" }, app.context);
 * const calls = await (await app.store()).ledger.list({});
 * const [line = ""] = formatCalls(calls, "jsonl", "1.0.0");
 * (JSON.parse(line) as { toolName: string }).toolName; // → "glob"
 * ```
 */
export function formatCalls(
  calls: readonly CallRecord[],
  format: ExportFormat,
  version: string,
): Generator<string, void, void> {
  return format === "jsonl" ? jsonLines(calls) : otlpLines(calls, version);
}

function* jsonLines(calls: readonly CallRecord[]): Generator<string, void, void> {
  if (calls.length > 0) yield calls.map((call) => `${JSON.stringify(call)}\n`).join("");
}

function* otlpLines(calls: readonly CallRecord[], version: string): Generator<string, void, void> {
  let spans: string[] = [];
  let chars = 0;
  for (const call of calls) {
    const span = JSON.stringify(toSpan(call));
    if (spans.length > 0 && chars + span.length > maxLineChars) {
      yield `${formatTraces(spans, version)}\n`;
      spans = [];
      chars = 0;
    }
    spans.push(span);
    chars += span.length;
  }
  if (spans.length > 0) yield `${formatTraces(spans, version)}\n`;
}

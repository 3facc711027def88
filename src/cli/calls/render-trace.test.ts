import { expect, test } from "vitest";
import type { TraceSpan } from "../../app/index.ts";
import { renderTrace } from "./render-trace.ts";

const terminal = { width: 100, paint: (_: unknown, text: string) => text };

function makeSpan(id: string, startedAt: number, spans: readonly TraceSpan[] = []): TraceSpan {
  return {
    kind: "call",
    id,
    name: id,
    state: "completed",
    startedAt,
    endedAt: startedAt + 10,
    about: "",
    code: undefined,
    tokens: undefined,
    costMicros: undefined,
    spans,
  };
}

test("a trace has a line for each span, below the one that led to it, in their order", () => {
  const trace = makeSpan("outer", 0, [makeSpan("first", 1, [makeSpan("within", 2)]), makeSpan("second", 30)]);
  const [head = "", ...lines] = renderTrace(trace, terminal, 100).trimEnd().split("\n");
  const names = lines.map((line) => /^ *\w+/.exec(line.slice(head.indexOf("What")))?.[0]);
  expect(names).toEqual(["outer", "  first", "    within", "  second"]);
});

test("a trace of 130,000 spans is drawn", () => {
  const inner = Array.from({ length: 130_000 }, (_, at) => makeSpan(`c_${at}`, at));
  const text = renderTrace(makeSpan("outer", 0, inner), { ...terminal, width: 50 }, 0);
  expect(text.match(/\n/g)).toHaveLength(130_002);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { toTraceColumns } from "./columns.ts";
import type { TraceSpan } from "./trace-span.ts";

function span(id: string, startedAt: number, endedAt: number | undefined, ...spans: TraceSpan[]): TraceSpan {
  return {
    kind: "call",
    id,
    name: "read",
    state: endedAt === undefined ? "started" : "completed",
    startedAt,
    endedAt,
    about: "",
    code: undefined,
    tokens: undefined,
    costMicros: undefined,
    spans,
  };
}

test("toTraceColumns() has each span once, after the span that led to it, and each word once", () => {
  const columns = toTraceColumns(
    span("a", 10, 50, span("b", 20, 30, span("c", 21, 25)), span("d", 30, undefined)),
    60,
  );
  expect(columns).toMatchObject({
    from: 10,
    to: 60,
    words: ["read", "completed", "started"],
    id: ["a", "b", "c", "d"],
    parent: [-1, 0, 1, 0],
    name: [0, 0, 0, 0],
    state: [1, 1, 1, 2],
    code: [-1, -1, -1, -1],
    at: [0, 10, 11, 20],
    took: [40, 10, 4, -1],
    tokens: [-1, -1, -1, -1],
  });
});

test("the critical path goes back from the end by what ended last, and leaves out what ran beside it", () => {
  const trace = span(
    "whole",
    0,
    100,
    span("first", 0, 40),
    span("beside", 0, 30),
    span("last", 40, 95, span("inner", 50, 90), span("short", 41, 44)),
  );
  const { id, critical } = toTraceColumns(trace, 100);
  expect(critical.map((place) => id[place])).toEqual(["first", "short", "inner", "last", "whole"]);
});

test("the spans of a critical path that share a parent never overlap", () => {
  const times = fc.array(fc.tuple(fc.nat(1000), fc.nat(300)), { maxLength: 30 });
  fc.assert(
    fc.property(times, (spans) => {
      const inner = spans.map(([at, took], place) => span(`s${place}`, at, at + took));
      const { parent, critical, at, took } = toTraceColumns(span("whole", 0, 1300, ...inner), 1300);
      const own = critical
        .filter((place) => parent[place] === 0)
        .map((place) => ({ from: at[place] ?? Number.NaN, ms: took[place] ?? Number.NaN }))
        .toSorted((one, other) => one.from - other.from);
      own.slice(1).forEach(({ from }, before) => {
        const last = own[before] ?? { from: Number.NaN, ms: Number.NaN };
        expect(last.from + last.ms).toBeLessThanOrEqual(from);
      });
    }),
  );
});

test("100,000 spans are a few megabytes of JSON", () => {
  const inner = Array.from({ length: 100_000 }, (_, place) => span(`c_mfy3k2ab_${place}`, place, place + 5));
  const text = JSON.stringify(toTraceColumns(span("whole", 0, 100_005, ...inner), 0));
  expect(text.length).toBeLessThan(6_000_000);
});

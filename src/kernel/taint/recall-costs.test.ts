import { expect, test } from "vitest";
import { createCall } from "../call/create-call.ts";
import type { Seen } from "./seen.ts";
import { TaintTracker } from "./taint-tracking.ts";

const session = { origin: { channel: "agent", id: "r", session: "s" } };

function recall(tracker: TaintTracker, seen: readonly Seen[]): void {
  tracker.recall(seen, session, (toolName, params, context) => ({
    call: createCall({ toolName, entryName: toolName }, params, context, { id: "c", startedAt: 0 }),
    tool: undefined,
  }));
}

/** An answer's call, and its result. */
function toStep(step: number): readonly Seen[] {
  const callId = `r.${step}.1`;
  const text = `see https://site-${step}.example/a and /data/plans/${step}.txt `.repeat(10);
  const params = { path: `/data/plans/${step}.txt` };
  return [
    { kind: "call", callId, toolName: "read", params, trust: "trusted" },
    { kind: "text", callId, toolName: "read", text, trust: "trusted", private: true },
  ];
}

function toPage(text: string, trust: "trusted" | "untrusted"): Seen {
  return { kind: "text", callId: "c_1", toolName: "page", text, trust, private: false };
}

test("TaintTracker.recall() looks into none of 5,000 trusted texts until something untrusted is among them", () => {
  const tracker = new TaintTracker();
  recall(tracker, Array.from({ length: 2_500 }, (_, step) => toStep(step)).flat());
  expect(tracker.size).toBe(0);
  recall(tracker, [toPage("a page", "untrusted")]);
  expect(tracker.size).toBeGreaterThan(1_000);
  const before = tracker.size;
  recall(tracker, toStep(2_501));
  expect(tracker.size).toBeGreaterThan(before);
});

test("TaintTracker.recall() reads no more than it can remember, and knows that something came from outside", () => {
  const tracker = new TaintTracker();
  const token = (at: number) => `zx${at}Qf93kk${at}`;
  const pages = Array.from({ length: 500 }, (_, at) =>
    toPage(`${token(at)} ${"a ".repeat(7_000)}`, at === 0 ? "untrusted" : "trusted"),
  );
  recall(tracker, pages);
  // Fifteen thousand characters each: the newest hundred have a million and a half.
  expect(tracker.size).toBeGreaterThan(100);
  expect(tracker.size).toBeLessThan(400);
});

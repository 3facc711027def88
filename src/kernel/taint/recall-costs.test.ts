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

test("TaintTracker.recall() makes no more calls than may wait while nothing has come from outside", () => {
  const tracker = new TaintTracker();
  const made: string[] = [];
  const tell = (seen: readonly Seen[]) =>
    tracker.recall(seen, session, (toolName, params, context) => {
      made.push(context.callId ?? "");
      return {
        call: createCall({ toolName, entryName: toolName }, params, context, { id: "c", startedAt: 0 }),
        tool: undefined,
      };
    });
  const steps = Array.from({ length: 2_500 }, (_, step) => toStep(step)).flat();
  tell(steps);
  expect(made).toHaveLength(512);
  expect([made[0], made.at(-1)]).toEqual(["r.1988.1", "r.2499.1"]);

  made.length = 0;
  tell([toPage("a page", "untrusted"), ...toStep(2_500)]);
  expect(made).toEqual(["r.2500.1"]);
  // What waited is known now, and so is what comes later.
  const known = tracker.size;
  made.length = 0;
  tell(steps.slice(0, 1_400));
  expect(made).toHaveLength(700);
  expect(tracker.size).toBeGreaterThan(known);
});

test("TaintTracker.recall() makes every call of a list in which something came from outside", () => {
  const tracker = new TaintTracker();
  let made = 0;
  const steps = Array.from({ length: 700 }, (_, step) => toStep(step)).flat();
  tracker.recall([toPage("a page", "untrusted"), ...steps], session, (toolName, params, context) => {
    made++;
    return {
      call: createCall({ toolName, entryName: toolName }, params, context, { id: "c", startedAt: 0 }),
      tool: undefined,
    };
  });
  expect(made).toBe(700);
});

import { describe, expect, test } from "vitest";
import { readShownPlan } from "./shown-plan.ts";

const call = {
  step: "a",
  tool: "write",
  arguments: { path: "p", content: "\u2039from b/body\u203a", mode: 1 },
};
const step = { id: "a", tool: "write", arguments: { path: "p", content: { $from: "b/body" } }, after: ["b"] };

describe("readShownPlan()", () => {
  test("takes the steps that the calls were made of out of the rest, and their order into the calls", () => {
    const params = { arguments: { steps: [step], result: 1 }, calls: [call] };
    expect(readShownPlan(params)).toEqual({ calls: [{ ...call, after: ["b"] }], rest: { result: 1 } });
  });

  test.each([
    ["another id", { ...step, id: "b" }],
    ["another tool", { ...step, tool: "bash" }],
    ["another argument", { ...step, arguments: { path: "q" } }],
    ["an argument that the call has not", { ...step, arguments: { path: "p", force: true } }],
    ["another reference", { ...step, arguments: { content: { $from: "c" } } }],
    ["more beside a reference", { ...step, arguments: { content: { $from: "b/body", secret: 1 } } }],
    ["a field that no step has", { ...step, note: "hidden" }],
    ["an order that is none", { ...step, after: [{ hidden: 1 }] }],
  ])("keeps steps that say what the calls don't show: %s", (_what, other) => {
    const own = { steps: [other] };
    expect(readShownPlan({ arguments: own, calls: [call] })).toEqual({
      calls: [{ ...call, after: [] }],
      rest: own,
    });
  });

  test("keeps steps of another number than the calls", () => {
    expect(readShownPlan({ arguments: { steps: [step, step] }, calls: [call] })?.rest).toEqual({
      steps: [step, step],
    });
  });

  test.each([
    ["an ordinary call", { path: "p" }],
    ["nothing", undefined],
    ["no call", { arguments: {}, calls: [] }],
    ["calls that are none", { arguments: {}, calls: [{ step: "a" }] }],
    ["a call with more in it", { arguments: {}, calls: [{ ...call, hidden: 1 }] }],
    ["more beside it", { arguments: {}, calls: [call], hidden: 1 }],
  ])("is undefined for %s", (_what, params) => {
    expect(readShownPlan(params)).toBeUndefined();
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToolAnnotations } from "../tool/annotations.ts";
import { type Effect, effectKinds } from "../tool/effect.ts";
import type { Tool } from "../tool/tool.ts";
import { type Mode, modeRules, modes } from "./modes.ts";
import { defaultRules, type JudgedCall, PermissionPolicy } from "./permissions.ts";
import { type Decision, decisions, type Rule } from "./rules.ts";

function judged(annotations: ToolAnnotations, effects: readonly Effect[]): JudgedCall {
  const tool: Tool = {
    name: "any",
    description: "Any.",
    category: "custom",
    parameters: {},
    annotations,
    version: "1",
    execute: () => "",
  };
  return { tool, params: {}, effects, context: {}, trust: "trusted" };
}

function decide(mode: Mode, call: JudgedCall, rules: readonly Rule[] = defaultRules): Decision {
  return new PermissionPolicy([...rules, ...modeRules[mode]]).decide(call).decision;
}

const looks: ToolAnnotations = { readOnly: true };
const acts: ToolAnnotations = { readOnly: false };
const file = (kind: "read" | "write" | "delete", within: boolean): Effect => ({
  kind,
  target: "/w/a",
  within,
});
const run = (marks: Partial<Effect> = {}): Effect => ({ kind: "run", target: "x", within: false, ...marks });
const connect: Effect = { kind: "connect", target: "https://a.example", within: true };

describe("what each mode makes of a call under the default rules", () => {
  test.for<[string, ToolAnnotations, readonly Effect[], Record<"plan" | "ask" | "auto", Decision>]>([
    ["reads inside", acts, [file("read", true)], { plan: "allow", ask: "allow", auto: "allow" }],
    ["reads outside", acts, [file("read", false)], { plan: "ask", ask: "ask", auto: "ask" }],
    ["changes a file inside", acts, [file("write", true)], { plan: "deny", ask: "allow", auto: "allow" }],
    ["changes a file outside", acts, [file("write", false)], { plan: "deny", ask: "ask", auto: "ask" }],
    ["deletes", acts, [file("delete", true)], { plan: "deny", ask: "ask", auto: "ask" }],
    [
      "only looks by a command",
      acts,
      [run({ within: true })],
      { plan: "allow", ask: "allow", auto: "allow" },
    ],
    ["runs a command", acts, [run()], { plan: "deny", ask: "ask", auto: "ask" }],
    [
      "runs a command in a sandbox that can be undone",
      acts,
      [run({ confined: true, undoable: true })],
      { plan: "deny", ask: "ask", auto: "allow" },
    ],
    [
      "runs a command in a sandbox that can't be undone",
      acts,
      [run({ confined: true })],
      { plan: "deny", ask: "ask", auto: "ask" },
    ],
    [
      "runs a command in a sandbox that can't be read",
      acts,
      [run({ confined: true, undoable: true, opaque: true })],
      { plan: "deny", ask: "ask", auto: "ask" },
    ],
    [
      "runs one command in a sandbox and one outside",
      acts,
      [run({ confined: true, undoable: true }), run()],
      { plan: "deny", ask: "ask", auto: "ask" },
    ],
    [
      "runs a command in a sandbox and deletes a file",
      acts,
      [run({ confined: true, undoable: true }), file("delete", true)],
      { plan: "deny", ask: "ask", auto: "ask" },
    ],
    ["fetches from an allowed host", looks, [connect], { plan: "allow", ask: "allow", auto: "allow" }],
    ["sends to an allowed host", acts, [connect], { plan: "deny", ask: "allow", auto: "allow" }],
    ["says nothing of what it does", {}, [], { plan: "deny", ask: "ask", auto: "ask" }],
    ["says that it changes nothing", looks, [], { plan: "ask", ask: "ask", auto: "ask" }],
    [
      "only computes",
      { readOnly: true, openWorld: false },
      [],
      { plan: "allow", ask: "allow", auto: "allow" },
    ],
  ])("a call that %s: %o", ([, annotations, effects, expected]) => {
    const call = judged(annotations, effects);
    expect({ plan: decide("plan", call), ask: decide("ask", call), auto: decide("auto", call) }).toEqual(
      expected,
    );
  });
});

describe("the bounds of modes", () => {
  const anyRule: fc.Arbitrary<Rule> = fc.record(
    {
      decision: fc.constantFrom(...decisions),
      effect: fc.constantFrom(...effectKinds, "none" as const),
      within: fc.boolean(),
      confined: fc.boolean(),
      routine: fc.boolean(),
      trust: fc.constantFrom("trusted", "untrusted"),
      target: fc.constantFrom("/a", "/b", "**"),
    },
    { requiredKeys: ["decision"] },
  );
  const anyCall = fc
    .record({
      effects: fc.array(
        fc
          .record({
            kind: fc.constantFrom(...effectKinds),
            target: fc.constantFrom("/a", "/b"),
            within: fc.boolean(),
            confined: fc.boolean(),
          })
          .map(({ confined, ...rest }): Effect => (confined ? { ...rest, confined } : rest)),
        { maxLength: 4 },
      ),
      readOnly: fc.boolean(),
      trust: fc.constantFrom("trusted" as const, "untrusted" as const),
    })
    .map(({ effects, readOnly, trust }): JudgedCall => ({ ...judged({ readOnly }, effects), trust }));

  test("no mode widens what rules deny, and none says yes where a rule asks", () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyCall, fc.constantFrom(...modes), (rules, call, mode) => {
        const before = new PermissionPolicy(rules).decide(call);
        const after = decide(mode, call, rules);
        if (before.decision === "deny") expect(after).toBe("deny");
        if (before.decision === "ask" && before.rule !== undefined) expect(after).not.toBe("allow");
      }),
      { numRuns: 500 },
    );
  });

  test("mode plan is never milder than mode ask, and lets nothing be changed by an effect that is named", () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyCall, (rules, call) => {
        const [plan, ask] = [decide("plan", call, rules), decide("ask", call, rules)];
        expect(decisions.indexOf(plan)).toBeGreaterThanOrEqual(decisions.indexOf(ask));
        if (call.effects.some(({ kind }) => kind === "write" || kind === "delete")) expect(plan).toBe("deny");
      }),
      { numRuns: 500 },
    );
  });

  test("mode auto allows by itself only commands in a sandbox", () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyCall, (rules, call) => {
        if (decide("ask", call, rules) !== "ask" || decide("auto", call, rules) !== "allow") return;
        const unnamed = new PermissionPolicy(rules).explain(call).filter(({ rule }) => rule === undefined);
        expect(
          unnamed.every(
            ({ effect }) => effect?.kind === "run" && effect.confined === true && effect.undoable === true,
          ),
        ).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("mode ask is the rules as they are, and mode locked adds none either", () => {
    expect([modeRules.ask, modeRules.locked]).toEqual([[], []]);
  });
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decide, effect, judgedCall, toolWith } from "../../../test/support/judged-call.ts";
import type { ToolAnnotations } from "../tool/annotations.ts";
import { type Effect, effectKinds } from "../tool/effect.ts";
import { defaultRules, type JudgedCall, PermissionPolicy } from "./permissions.ts";
import { type Decision, decisions, type Rule, remembrances } from "./rules.ts";
import { trusts } from "./trust.ts";

describe("the default policy", () => {
  test.for<[string, Effect, Decision]>([
    ["reading inside the bounds", effect("read", "/w/a"), "allow"],
    ["changing a file inside the bounds", effect("write", "/w/a"), "allow"],
    ["connecting inside the bounds", effect("connect", "https://a"), "allow"],
    ["deleting inside the bounds", effect("delete", "/w/a"), "ask"],
    ["a command", effect("run", "ls", false), "ask"],
    ["a command known to change nothing", { kind: "run", target: "ls", within: true }, "allow"],
    ["a confined command", { kind: "run", target: "make", within: false, confined: true }, "ask"],
    ["a routine command", { kind: "run", target: "touch a", within: false, routine: true }, "ask"],
    [
      "a confined, routine command",
      { kind: "run", target: "touch a", within: false, confined: true, routine: true },
      "allow",
    ],
    ["reading outside", effect("read", "/etc/passwd", false), "ask"],
    ["changing a file outside", effect("write", "/etc/passwd", false), "ask"],
    ["deleting outside", effect("delete", "/etc/passwd", false), "ask"],
    ["connecting outside", effect("connect", "https://a", false), "ask"],
  ])("PermissionPolicy decides %s: $2", ([, one, decision]) => {
    expect(new PermissionPolicy().decide(judgedCall({ effects: [one] }))).toMatchObject({
      decision,
      effects: [one],
    });
  });

  test.for<[ToolAnnotations, Decision]>([
    [{ readOnly: true, openWorld: false }, "allow"],
    [{ readOnly: true }, "ask"],
    [{ openWorld: false }, "ask"],
    [{}, "ask"],
    [{ readOnly: false, openWorld: false, destructive: false, idempotent: true }, "ask"],
  ])(
    "PermissionPolicy decides a call without effects by what its tool says: %o $1",
    ([annotations, decision]) => {
      expect(new PermissionPolicy().decide(judgedCall({ tool: toolWith(annotations) })).decision).toBe(
        decision,
      );
    },
  );

  test.for<[string, ToolAnnotations, Effect, Decision]>([
    ["run a program that only reads", {}, { kind: "run", target: "ls", within: true }, "allow"],
    [
      "run a routine command in a sandbox",
      {},
      { kind: "run", target: "touch a", within: false, confined: true, routine: true },
      "ask",
    ],
    ["send to an allowed host", {}, effect("connect", "https://a"), "ask"],
    ["read from an allowed host", { readOnly: true }, effect("connect", "https://a"), "allow"],
    ["read a file inside the bounds", {}, effect("read", "/w/a"), "allow"],
  ])("PermissionPolicy decides that data from outside may %s: $3", ([, annotations, one, decision]) => {
    const judged = judgedCall({ tool: toolWith(annotations), effects: [one], trust: "untrusted" });
    expect(new PermissionPolicy().decide(judged).decision).toBe(decision);
  });

  test("PermissionPolicy lets no annotation speak for an effect", () => {
    const harmless = toolWith({ readOnly: true, openWorld: false, destructive: false });
    expect(decide(defaultRules, [effect("run", "rm -rf /", false)], {}, harmless)).toBe("ask");
  });
});

describe("precedence", () => {
  const rule = fc.record({ decision: fc.constantFrom(...decisions) });

  test("PermissionPolicy.decide() takes deny before ask before allow, in whatever order the rules stand", () => {
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 6 }),
        fc.array(fc.constantFrom(...effectKinds), { maxLength: 4 }),
        (rules, kinds) => {
          const words = rules.map(({ decision }) => decision);
          const expected = words.includes("deny")
            ? "deny"
            : words.includes("ask") || words.length === 0
              ? "ask"
              : "allow";
          expect(
            decide(
              rules,
              kinds.map((kind) => effect(kind, "/a")),
            ),
          ).toBe(expected);
        },
      ),
    );
  });

  const maybe = <Value>(...values: Value[]) => fc.constantFrom(...values);
  const anyRule: fc.Arbitrary<Rule> = fc.record(
    {
      decision: maybe(...decisions),
      effect: maybe(...effectKinds, "none" as const),
      within: fc.boolean(),
      confined: fc.boolean(),
      routine: fc.boolean(),
      target: maybe("/a", "/b", "**", "/A"),
      tool: maybe("read_*", "write_*"),
      pack: maybe("custom", "other"),
      origin: maybe("haft", ""),
      agent: maybe("a", "*"),
      channel: maybe("cli", "mcp"),
      trust: maybe(...trusts),
      arguments: maybe({ mode: "fast" }, { mode: "slow" }),
      remember: maybe(...remembrances),
    },
    { requiredKeys: ["decision"] },
  );
  const mark = maybe(true as const, undefined);
  const anyEffect: fc.Arbitrary<Effect> = fc
    .record({
      kind: maybe(...effectKinds),
      target: maybe("/a", "/b"),
      within: fc.boolean(),
      opaque: mark,
      confined: mark,
      routine: mark,
    })
    .map(({ opaque, confined, routine, ...rest }) => ({
      ...rest,
      ...(opaque && { opaque }),
      ...(confined && { confined }),
      ...(routine && { routine }),
    }));
  const anyCall: fc.Arbitrary<JudgedCall> = fc
    .record({
      effects: fc.array(anyEffect, { maxLength: 4 }),
      trust: maybe(...trusts),
      agentId: maybe("a", "b"),
      channel: maybe("cli", "telegram"),
    })
    .map(({ effects, trust, agentId, channel }) =>
      judgedCall({ params: { mode: "fast" }, effects, trust, context: { agentId, origin: { channel } } }),
    );
  const strictness = (rules: readonly Rule[], judged: JudgedCall) =>
    decisions.indexOf(new PermissionPolicy(rules).decide(judged).decision);

  test("PermissionPolicy.decide() never gets milder by one more rule that denies, wherever it stands", () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyRule, anyCall, fc.nat(), (rules, more, judged, at) => {
        const all = rules.toSpliced(at % (rules.length + 1), 0, { ...more, decision: "deny" });
        expect(strictness(all, judged)).toBeGreaterThanOrEqual(strictness(rules, judged));
      }),
    );
  });

  test("PermissionPolicy.decide() never gets milder by one more rule that asks, wherever it stands", () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyRule, anyCall, fc.nat(), (rules, more, judged, at) => {
        const all = rules.toSpliced(at % (rules.length + 1), 0, { ...more, decision: "ask" });
        expect(strictness(all, judged)).toBeGreaterThanOrEqual(strictness(rules, judged));
      }),
    );
  });

  test("PermissionPolicy.decide() never gets stricter by one more rule that allows, and not past a question either", () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyRule, anyCall, (rules, more, judged) => {
        const before = new PermissionPolicy(rules).decide(judged);
        const after = new PermissionPolicy([...rules, { ...more, decision: "allow" }]).decide(judged);
        expect(decisions.indexOf(after.decision)).toBeLessThanOrEqual(decisions.indexOf(before.decision));
        if (before.rule !== undefined) expect(after.decision).toBe(before.decision);
      }),
    );
  });

  test("PermissionPolicy.decide() does not go by the order of rules or effects", () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyCall, (rules, judged) => {
        const turned = { ...judged, effects: judged.effects.toReversed() };
        expect(strictness(rules.toReversed(), turned)).toBe(strictness(rules, judged));
      }),
    );
  });

  test("PermissionPolicy.explain() says of each effect what decide() makes of it alone", () => {
    fc.assert(
      fc.property(fc.array(anyRule), anyCall, (rules, judged) => {
        const policy = new PermissionPolicy(rules);
        const explained = policy.explain(judged);
        expect(explained.map(({ effect: one }) => one)).toEqual(
          judged.effects.length === 0 ? [undefined] : judged.effects,
        );
        for (const { effect: one, decision, rule: decisive, holding } of explained) {
          const alone = policy.decide({ ...judged, effects: one === undefined ? [] : [one] });
          expect({ decision, rule: decisive }).toEqual({ decision: alone.decision, rule: alone.rule });
          expect(holding).toEqual(rules.filter((each) => holding.includes(each)));
          if (decisive === undefined) expect(holding).toEqual([]);
          else expect(holding).toContain(decisive);
        }
      }),
    );
  });

  test("PermissionPolicy.decide() decides every effect by itself, and the strictest is the call's", () => {
    const rules: Rule[] = [
      { decision: "allow", effect: "read" },
      { decision: "deny", target: "/secret/**" },
    ];
    const [read, write, run, secret] = [
      effect("read", "/a"),
      effect("write", "/b"),
      effect("run", "ls"),
      effect("read", "/secret/key"),
    ];
    const policy = new PermissionPolicy(rules);
    expect(policy.decide(judgedCall({ effects: [read] }))).toEqual({
      decision: "allow",
      rule: rules[0],
      effects: [read],
    });
    expect(policy.decide(judgedCall({ effects: [write, read, run] }))).toEqual({
      decision: "ask",
      effects: [write, run],
    });
    expect(policy.decide(judgedCall({ effects: [read, write, secret] }))).toEqual({
      decision: "deny",
      rule: rules[1],
      effects: [secret],
    });
  });

  test("PermissionPolicy.decide() does not let the permission of one effect cover another", () => {
    const rules: Rule[] = [{ decision: "allow", effect: "read", within: true }];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...effectKinds), { minLength: 1 }),
        fc.array(fc.boolean(), { minLength: 20 }),
        (kinds, bounds) => {
          const effects = kinds.map((kind, index) =>
            effect(kind, "/a", bounds[index % bounds.length] ?? false),
          );
          const harmless = effects.every(({ kind, within }) => kind === "read" && within);
          expect(decide(rules, effects)).toBe(harmless ? "allow" : "ask");
        },
      ),
    );
  });

  test("PermissionPolicy.decide() asks for what no rule names", () => {
    const verdict = { decision: "ask", effects: [], undeclared: true };
    expect(new PermissionPolicy([]).decide(judgedCall())).toEqual(verdict);
  });
});

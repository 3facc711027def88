import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type Decision,
  decisions,
  defineTool,
  type Effect,
  effectKinds,
  PermissionPolicy,
  type Rule,
  type Tool,
  type ToolAnnotations,
} from "./index.ts";

function toolWith(annotations: ToolAnnotations = {}, category = "custom"): Tool {
  return defineTool({
    name: "read_file",
    description: "Read a file.",
    category,
    annotations,
    parameters: z.any(),
    execute: () => "",
  });
}

function effect(kind: Effect["kind"], target: string, within = true): Effect {
  return { kind, target, within };
}

function decide(
  rules: readonly Rule[],
  effects: readonly Effect[] = [],
  params: unknown = {},
  tool = toolWith(),
): Decision {
  return new PermissionPolicy(rules).decide(tool, params, effects).decision;
}

describe("the default policy", () => {
  test.for<[string, Effect, Decision]>([
    ["reading inside the bounds", effect("read", "/w/a"), "allow"],
    ["changing a file inside the bounds", effect("write", "/w/a"), "allow"],
    ["connecting inside the bounds", effect("connect", "https://a"), "allow"],
    ["deleting inside the bounds", effect("delete", "/w/a"), "ask"],
    ["a command", effect("run", "ls", false), "ask"],
    ["a command known to change nothing", { kind: "run", target: "ls", within: true }, "allow"],
    ["reading outside", effect("read", "/etc/passwd", false), "ask"],
    ["changing a file outside", effect("write", "/etc/passwd", false), "ask"],
    ["deleting outside", effect("delete", "/etc/passwd", false), "ask"],
    ["connecting outside", effect("connect", "https://a", false), "ask"],
  ])("PermissionPolicy decides %s: $2", ([, one, decision]) => {
    expect(new PermissionPolicy().decide(toolWith(), {}, [one])).toMatchObject({ decision, effects: [one] });
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
      expect(new PermissionPolicy().decide(toolWith(annotations), {}, []).decision).toBe(decision);
    },
  );

  test("PermissionPolicy lets no annotation speak for an effect", () => {
    const harmless = toolWith({ readOnly: true, openWorld: false, destructive: false });
    expect(new PermissionPolicy().decide(harmless, {}, [effect("run", "rm -rf /", false)]).decision).toBe(
      "ask",
    );
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

  test("PermissionPolicy.decide() never gets milder by one more rule that denies or asks", () => {
    const anyRule: fc.Arbitrary<Rule> = fc.record(
      {
        decision: fc.constantFrom(...decisions),
        effect: fc.constantFrom(...effectKinds, "none" as const),
        within: fc.boolean(),
        target: fc.constantFrom("/a", "/b", "**"),
        tool: fc.constantFrom("read_*", "write_*"),
      },
      { requiredKeys: ["decision"] },
    );
    const anyEffect = fc.record({
      kind: fc.constantFrom(...effectKinds),
      target: fc.constantFrom("/a", "/b"),
      within: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(anyRule),
        anyRule,
        fc.array(anyEffect, { minLength: 1 }),
        fc.nat(),
        (rules, more, effects, at) => {
          const before = decide(rules, effects);
          const all = rules.toSpliced(at % (rules.length + 1), 0, more);
          const after = decide(all, effects);
          if (more.decision === "deny")
            expect(decisions.indexOf(after)).toBeGreaterThanOrEqual(decisions.indexOf(before));
          expect(after).toBe(decide(all.toReversed(), effects.toReversed()));
        },
      ),
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
    expect(policy.decide(toolWith(), {}, [read])).toEqual({
      decision: "allow",
      rule: rules[0],
      effects: [read],
    });
    expect(policy.decide(toolWith(), {}, [write, read, run])).toEqual({
      decision: "ask",
      effects: [write, run],
    });
    expect(policy.decide(toolWith(), {}, [read, write, secret])).toEqual({
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
    expect(new PermissionPolicy([]).decide(toolWith(), {}, [])).toEqual({ decision: "ask", effects: [] });
  });
});

describe("rules", () => {
  const allow = (part: Omit<Rule, "decision">): Rule[] => [{ decision: "allow", ...part }];

  test.for<[string, Omit<Rule, "decision">, Decision]>([
    ["a tool's name", { tool: "read_file" }, "allow"],
    ["a glob over names", { tool: "read_*" }, "allow"],
    ["another name", { tool: "read" }, "ask"],
    ["a category", { category: "file" }, "allow"],
    ["another category", { category: "net*" }, "ask"],
    ["an annotation", { annotations: { readOnly: true } }, "allow"],
    ["another annotation", { annotations: { readOnly: true, openWorld: false } }, "ask"],
    [
      "an annotation as MCP defaults it",
      { annotations: { destructive: false, idempotent: false, openWorld: true } },
      "allow",
    ],
    ["no effect", { effect: "none" }, "ask"],
    ["an effect", { effect: "read" }, "allow"],
    ["another effect", { effect: "write" }, "ask"],
    ["a target", { target: "/w/*" }, "allow"],
    ["a target a folder deeper", { target: "/*" }, "ask"],
    ["targets across folders", { target: "/**" }, "allow"],
    ["the bounds", { within: true }, "allow"],
    ["outside the bounds", { within: false }, "ask"],
    [
      "all fields at once",
      { tool: "*", category: "file", effect: "read", target: "/w/a", within: true },
      "allow",
    ],
    [
      "all fields but one",
      { tool: "*", category: "file", effect: "read", target: "/w/b", within: true },
      "ask",
    ],
  ])("PermissionPolicy holds a rule on %s: $2", ([, part, decision]) => {
    const tool = toolWith({ readOnly: true }, "file");
    expect(decide(allow(part), [effect("read", "/w/a")], {}, tool)).toBe(decision);
  });

  test.for<[Readonly<Record<string, string>>, Decision]>([
    [{ mode: "fast" }, "allow"],
    [{ mode: "f*" }, "allow"],
    [{ mode: "slow" }, "ask"],
    [{ "options.depth": "3" }, "allow"],
    [{ "options.depth": "?" }, "allow"],
    [{ "options.list": "[1,2]" }, "allow"],
    [{ "options.none": "?*" }, "ask"],
    [{ "options.none.deeper": "?*" }, "ask"],
    [{ mode: "fast", "options.depth": "4" }, "ask"],
    [{ toString: "**" }, "allow"],
    [{ "constructor.name": "Object" }, "ask"],
    [{ ["__proto__"]: "?*" }, "ask"],
    [{ "__proto__.constructor.name": "?*" }, "ask"],
  ])("PermissionPolicy holds a rule on the arguments %o: $1", ([wanted, decision]) => {
    const params = { mode: "fast", options: { depth: 3, list: [1, 2] } };
    expect(decide(allow({ arguments: wanted }), [], params)).toBe(decision);
  });

  test("PermissionPolicy.decide() does not hold a rule on a target or a bound for a call without effects", () => {
    expect(decide(allow({ target: "**" }))).toBe("ask");
    expect(decide(allow({ within: true }))).toBe("ask");
    expect(decide(allow({ within: false }))).toBe("ask");
    expect(decide(allow({ effect: "none" }))).toBe("allow");
  });

  test("PermissionPolicy.decide() takes as long for a bad pattern as for a good one", () => {
    const [target, path] = ["*a".repeat(200), "a".repeat(20_000)];
    expect(decide(allow({ target }), [effect("read", `${path}b`)])).toBe("ask");
  });

  test("PermissionPolicy.decide() gives all effects of a long list", () => {
    const effects = Array.from({ length: 50_000 }, (_, index) => effect("write", `/${index}`));
    expect(new PermissionPolicy([]).decide(toolWith(), {}, effects)).toEqual({ decision: "ask", effects });
  });

  test.for<[string, Rule]>([
    ["a decision", { decision: "maybe" as Decision }],
    ["an effect", { decision: "allow", effect: "wirte" as "write" }],
  ])("PermissionPolicy refuses a rule with %s that there is not", ([, rule]) => {
    expect(() => new PermissionPolicy([rule])).toThrow(TypeError);
  });
});

describe("an effect that is a part of an argument", () => {
  const part = (target: string, more: Partial<Effect> = {}): Effect => ({
    kind: "run",
    target,
    within: false,
    argument: "command",
    ...more,
  });
  const params = { command: "npm run a; rm b" };
  const allow: Rule = { decision: "allow", arguments: { command: "npm run *" } };
  const deny: Rule = { decision: "deny", arguments: { command: "rm *" } };

  test.for<[string, readonly Rule[], Effect, Decision]>([
    ["the part that it names", [allow], part("npm run a"), "allow"],
    ["another part", [allow], part("rm b"), "ask"],
    [
      "a part by another name",
      [{ ...allow, decision: "deny" }],
      part("./npm", { aliases: ["npm run a"] }),
      "deny",
    ],
    [
      "the whole argument",
      [{ decision: "deny", arguments: { command: "*; rm *" } }],
      part("npm run a"),
      "deny",
    ],
    ["an alias, to allow", [allow], part("A=1 npm run a", { aliases: ["npm run a"] }), "ask"],
    ["an opaque part, to allow", [allow], part("npm run $x", { opaque: true }), "ask"],
    ["an opaque part, to deny", [deny], part("x | rm $y", { opaque: true }), "deny"],
    ["the last word of an opaque part", [deny], part("$x rm", { opaque: true }), "deny"],
    ["a quoted word of an opaque part", [deny], part("sh -c 'rm $y'", { opaque: true }), "deny"],
    ["a program's folder in an opaque part", [deny], part("$x /bin/rm y", { opaque: true }), "deny"],
    ["a word of an opaque part that only ends alike", [deny], part("confirm $y", { opaque: true }), "ask"],
    [
      "an opaque part, without a text",
      [{ decision: "allow", effect: "run" }],
      part("$x", { opaque: true }),
      "allow",
    ],
  ])("PermissionPolicy holds a rule against %s: $3", ([, rules, one, decision]) => {
    expect(decide(rules, [one], params)).toBe(decision);
  });

  test("PermissionPolicy lets a target allow no opaque effect, whatever it matches", () => {
    expect(decide([{ decision: "allow", target: "**" }], [part("$x", { opaque: true })])).toBe("ask");
  });
});

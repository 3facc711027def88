import { describe, expect, test } from "vitest";
import { decide, effect, judgedCall, toolWith } from "../../../test/support/judged-call.ts";
import type { Effect } from "../tool/effect.ts";
import { type JudgedCall, PermissionPolicy } from "./permissions.ts";
import type { Decision, Rule } from "./rules.ts";

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

  test.for<[string, Omit<Rule, "decision">, Partial<JudgedCall>, Decision]>([
    ["a pack", { pack: "files" }, { tool: { ...toolWith(), pack: "files" } }, "allow"],
    ["a category where the tool names no pack", { pack: "custom" }, {}, "allow"],
    ["another pack", { pack: "custom" }, { tool: { ...toolWith(), pack: "files" } }, "ask"],
    ["an origin", { origin: "mcp:*" }, { tool: { ...toolWith(), origin: "mcp:github" } }, "allow"],
    ["another origin", { origin: "haft" }, { tool: { ...toolWith(), origin: "mcp:github" } }, "ask"],
    ["the origin of a tool that says none", { origin: "" }, {}, "allow"],
    ["an agent", { agent: "main" }, { context: { agentId: "main" } }, "allow"],
    ["another agent", { agent: "main" }, { context: { agentId: "sub" } }, "ask"],
    ["some agent, where there is none", { agent: "?*" }, {}, "ask"],
    ["no agent", { agent: "" }, {}, "allow"],
    ["a channel", { channel: "cli" }, { context: { origin: { channel: "cli" } } }, "allow"],
    ["another channel", { channel: "cli" }, { context: { origin: { channel: "telegram" } } }, "ask"],
    ["data of one's own", { trust: "trusted" }, {}, "allow"],
    ["data from outside", { trust: "trusted" }, { trust: "untrusted" }, "ask"],
  ])("PermissionPolicy holds a rule on %s: $3", ([, part, judged, decision]) => {
    expect(new PermissionPolicy(allow(part)).decide(judgedCall(judged)).decision).toBe(decision);
  });

  test.for<[Omit<Rule, "decision">, Effect, Decision]>([
    [{ confined: true }, { ...effect("run", "x"), confined: true }, "allow"],
    [{ confined: true }, effect("run", "x"), "ask"],
    [{ confined: false }, effect("run", "x"), "allow"],
    [{ confined: false }, { ...effect("run", "x"), confined: true }, "ask"],
    [{ routine: true }, { ...effect("run", "x"), routine: true }, "allow"],
    [{ routine: false }, { ...effect("run", "x"), routine: true }, "ask"],
    [{ confined: false }, effect("read", "/w/a"), "ask"],
    [{ routine: false }, effect("write", "/w/a"), "ask"],
  ])(
    "PermissionPolicy holds a rule on the marks of commands, and of nothing else: %o",
    ([part, one, decision]) => {
      expect(decide(allow(part), [one])).toBe(decision);
    },
  );

  test("PermissionPolicy.decide() does not hold a rule on a command's marks for a call without effects", () => {
    expect(decide(allow({ confined: false }))).toBe("ask");
    expect(decide(allow({ routine: false }))).toBe("ask");
  });

  test.for(["deny", "ask"] as const)(
    "PermissionPolicy lets no other case of letters pass by a rule that says %s",
    (word) => {
      const rules: Rule[] = [
        { decision: "allow", effect: "write" },
        { decision: word, target: "**/.git/Hooks/**" },
        { decision: word, arguments: { mode: "Fast*" } },
      ];
      expect(decide(rules, [effect("write", "/w/.GIT/hooks/pre-commit")])).toBe(word);
      expect(decide(rules, [effect("write", "/w/a")], { mode: "fASTER" })).toBe(word);
      expect(decide(rules, [effect("write", "/w/a")], { mode: "slow" })).toBe("allow");
    },
  );

  test("PermissionPolicy lets another case of letters allow nothing", () => {
    expect(decide(allow({ target: "/w/A" }), [effect("write", "/w/a")])).toBe("ask");
    expect(decide(allow({ arguments: { mode: "Fast" } }), [], { mode: "fast" })).toBe("ask");
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
    expect(new PermissionPolicy([]).decide(judgedCall({ effects }))).toEqual({ decision: "ask", effects });
  });

  test.for<[string, object, string]>([
    ["a decision that there is not", { decision: "maybe" }, "decision must be one of allow, ask, deny"],
    ["no decision", { tool: "bash" }, "decision must be one of allow, ask, deny"],
    [
      "an effect that there is not",
      { decision: "allow", effect: "wirte" },
      "effect must be one of read, write",
    ],
    ["a misspelt field", { decision: "deny", targt: "**" }, 'no field "targt"; did you mean "target"'],
    ["a field of every object", { decision: "allow", toString: "x" }, 'no field "toString"'],
    [
      "a misspelt annotation",
      { decision: "allow", annotations: { readonly: true } },
      'did you mean "readOnly"',
    ],
    [
      "a trust that there is not",
      { decision: "deny", trust: "none" },
      "trust must be one of trusted, untrusted",
    ],
    ["a word for a yes", { decision: "allow", within: "yes" }, "within must be true or false"],
    ["a number for a text", { decision: "deny", tool: 7 }, "tool must be a text"],
    ["nothing for arguments", { decision: "deny", arguments: null }, "arguments must be an object"],
    ["a list of arguments", { decision: "deny", arguments: ["a"] }, "arguments must be an object"],
    [
      "a number for an argument",
      { decision: "deny", arguments: { "a.b": 7 } },
      'its argument "a.b" must be a text',
    ],
    [
      "a word for an annotation",
      { decision: "deny", annotations: { readOnly: "no" } },
      "readOnly must be true or false",
    ],
    [
      "a span to remember for",
      { decision: "ask", remember: "week" },
      "remember must be one of never, session, always",
    ],
  ])("PermissionPolicy refuses a rule with %s", ([, rule, message]) => {
    expect(() => new PermissionPolicy([rule as Rule])).toThrow(TypeError);
    expect(() => new PermissionPolicy([rule as Rule])).toThrow(message);
  });

  test("PermissionPolicy takes a field that is undefined for one that is not there", () => {
    expect(decide([{ decision: "allow", tool: undefined } as unknown as Rule])).toBe("allow");
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

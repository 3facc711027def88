import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { type Explanation, findOutcome } from "../../app/index.ts";
import type { Rule } from "../../kernel/index.ts";
import { Terminal } from "../terminal.ts";
import { type ListedRule, renderExplanation, renderRules, renderTests } from "./policy.ts";

function terminal(): Terminal {
  const stream = () => new PassThrough();
  return new Terminal({ stdin: stream(), stdout: stream(), stderr: stream() });
}

const deny: Rule = { decision: "deny", effect: "run", reason: "not here" };
const allow: Rule = { decision: "allow", effect: "run", within: true };

const explanation: Explanation = {
  tool: "bash",
  params: { command: "x" },
  mode: "ask",
  trust: "trusted",
  agent: undefined,
  channel: "cli",
  decision: "ask",
  effects: [
    {
      effect: {
        kind: "run",
        target: "npm \u202etest",
        within: false,
        risk: "high risk: x",
        isolation: "in a box",
      },
      decision: "ask",
      rule: undefined,
      others: [],
    },
  ],
  grants: [],
  whyAsked: undefined,
  inTheWay: [],
  toAllow: ["- { decision: allow, tool: bash }"],
  refusal: undefined,
  notes: [],
};

test("renderExplanation() of a call that no sandbox can take says so, and proposes no rule", () => {
  const refusal = "Cannot run commands: there is no sandbox";
  const text = renderExplanation(
    { ...explanation, decision: "deny", effects: [], toAllow: [], refusal },
    terminal(),
  );
  expect(text).toBe(`bash is refused in mode ask\n\n  whatever rules say  ${refusal}\n`);
});

test("renderExplanation() says of each effect what decided it, and what would allow the call", () => {
  expect(renderExplanation(explanation, terminal())).toBe(`bash asks in mode ask

  ask  run npm \\u{202e}test; high risk: x
       no rule names it

  isolation    in a box
  to allow it  - { decision: allow, tool: bash }

Such a rule belongs to permissions in haft.config.yml; run \`haft trust\` after each change.
`);
});

test("renderExplanation() names the rule in the way, the others, and where it can be changed", () => {
  const rule = { number: 7, source: "own file", rule: deny } as const;
  const other = { number: 4, source: "default", rule: allow } as const;
  const effects = [{ effect: undefined, decision: "deny", rule, others: [other] } as const];
  const refused: Explanation = { ...explanation, decision: "deny", effects, inTheWay: [rule], toAllow: [] };
  expect(renderExplanation(refused, terminal())).toBe(`bash is refused in mode ask

  deny  run; it names no effect
        by rule 7 (own file): deny effect run (not here)
        also rule 4 (default): allow effect run, within true

No other rule undoes one that asks or denies: change it in your configuration.
`);
});

test.for<[string, Partial<Explanation>, string]>([
  [
    "a mode is in the way",
    { inTheWay: [{ number: 9, source: "mode", rule: deny }], mode: "plan", decision: "deny" },
    ": leave mode plan.",
  ],
  [
    "a built-in rule asks",
    { inTheWay: [{ number: 9, source: "code files", rule: deny }] },
    ": answer the question.",
  ],
  [
    "a rule asks and nobody is asked",
    { inTheWay: [{ number: 9, source: "project file", rule: deny }], mode: "locked", decision: "deny" },
    ": change it in your configuration, or leave mode locked.",
  ],
  ["it can't be read", { toAllow: [] }, "No rule could allow it without allowing far more."],
  ["it was allowed for another version", { whyAsked: "this is version 2" }, "asked again  this is version 2"],
  ["it holds data from outside", { trust: "untrusted" }, "in mode ask, with data from outside"],
])("renderExplanation() says what to do where %s", ([, part, text]) => {
  expect(renderExplanation({ ...explanation, ...part }, terminal())).toContain(text);
});

test("findOutcome() goes by remembered answers, and renderExplanation() names them", () => {
  const granted: Explanation = { ...explanation, grants: ["g_1"] };
  expect([findOutcome(granted), findOutcome(explanation)]).toEqual(["allow", "ask"]);
  expect(findOutcome({ ...granted, decision: "deny" })).toBe("deny");
  expect(renderExplanation(granted, terminal())).toMatch(
    /is allowed, as was answered before,[\s\S]*remembered +g_1/,
  );
});

test("renderRules() folds the rules on files that are alike, unless all are wanted", () => {
  const rules = [1, 2, 3].map(
    (number): ListedRule => ({
      number,
      source: number === 3 ? "own file" : "code files",
      rule: { ...deny, target: `**/${number}` },
      unused: number === 3,
    }),
  );
  const folded = renderRules(rules, { mode: "locked", all: false }, terminal());
  expect(folded).toMatch(/^Mode locked\. .*and nobody is asked/);
  expect(folded).toMatch(/\n1-2 +code files +ask before a call changes/);
  expect(folded).toMatch(
    /\n +3 +own file +deny effect run, target \*\*\/3 \(not here\) {2}\[no tool fits it\]\n$/,
  );
  const all = renderRules(rules, { mode: "locked", all: true }, terminal());
  expect(all.match(/deny effect run, target/g)).toHaveLength(3);
});

test("renderTests() shows each failed test with its reason, and the count", () => {
  const passed = {
    name: "a",
    passed: true,
    expected: "ask",
    decided: "ask",
    by: [],
    fault: undefined,
  } as const;
  const failed = { ...passed, name: "b\nb", passed: false, fault: "first\nsecond" } as const;
  expect(renderTests([passed, failed], terminal())).toBe(
    "FAILED  b b\n        first\n        second\n1 of 2 policy tests passed\n",
  );
});

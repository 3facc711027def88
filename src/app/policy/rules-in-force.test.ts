import { expect, test } from "vitest";
import { codeFileRules, outsideRules, secretFileRules } from "../../host/index.ts";
import { defaultRules, modeRules, type Rule, type Tool } from "../../kernel/index.ts";
import { ownToolRules } from "./own-tool-rules.ts";
import { builtInRules, fitsSome, ruleSources, rulesInForce } from "./rules-in-force.ts";

const own: Rule = { decision: "deny", tool: "bash" };
const project: Rule = { decision: "ask", effect: "write" };

test("rulesInForce() numbers the rules as the gate has them, the mode's last", () => {
  const rules = rulesInForce({ own: { permissions: [own] }, project: { permissions: [project] } }, "plan");
  expect(rules.map(({ rule }) => rule)).toEqual([...builtInRules([own, project]), ...modeRules.plan]);
  expect(rules.map(({ number }) => number)).toEqual(rules.map((_, at) => at + 1));
  expect(Array.from(new Set(rules.map(({ source }) => source)))).toEqual(ruleSources);
  expect(
    Object.fromEntries(
      Array.from(
        Map.groupBy(rules, ({ source }) => source),
        ([name, of]) => [name, of.length],
      ),
    ),
  ).toEqual({
    default: defaultRules.length,
    "secret files": secretFileRules.length,
    "code files": codeFileRules.length,
    "own tools": ownToolRules.length,
    sandbox: outsideRules.length,
    "own file": 1,
    "project file": 1,
    mode: modeRules.plan.length,
  });
});

test.for<[Rule, boolean]>([
  [{ decision: "deny" }, true],
  [{ decision: "deny", tool: "read_*" }, true],
  [{ decision: "deny", tool: "raed_*" }, false],
  [{ decision: "allow", tool: "read_file", target: "/never/**" }, true],
  [{ decision: "ask", pack: "files" }, true],
  [{ decision: "ask", pack: "shell" }, false],
  [{ decision: "ask", origin: "mcp:*" }, false],
  [{ decision: "ask", annotations: { readOnly: true } }, true],
  [{ decision: "ask", annotations: { readOnly: true }, category: "net*" }, false],
])("fitsSome() says of %o: %s", ([rule, fits]) => {
  const tool: Tool = {
    name: "read_file",
    description: "Read.",
    category: "file",
    pack: "files",
    origin: "haft",
    parameters: {},
    annotations: { readOnly: true },
    version: "1",
    execute: () => "",
  };
  expect(fitsSome(rule, [tool])).toBe(fits);
});

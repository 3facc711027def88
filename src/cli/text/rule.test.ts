import { expect, test } from "vitest";
import type { Rule } from "../../kernel/index.ts";
import { describeRule } from "./rule.ts";

test.for<[Rule, string]>([
  [{ decision: "allow" }, "allow EVERYTHING"],
  [{ decision: "deny", effect: "run", target: "rm *", reason: "no" }, "deny effect run, target rm * (no)"],
  [{ decision: "ask", agent: "", within: false }, 'ask agent "", within false'],
  [{ decision: "ask", tool: "a", remember: "session" }, "ask tool a, remembered for a session at most"],
  [{ decision: "ask", tool: "a", remember: "never" }, "ask tool a, remembered never"],
  [{ decision: "ask", tool: "a", remember: "always" }, "ask tool a"],
  [{ decision: "allow", arguments: { mode: "x\n\u202e" } }, 'allow arguments {"mode":"x\\n\\u{202e}"}'],
])("describeRule() says %o in one line: %s", ([rule, text]) => {
  expect(describeRule(rule)).toBe(text);
});

// Policy decides each effect of a call, a person is asked where it says so, and no approver means no.
import assert from "node:assert/strict";
import { ToolRegistry } from "haft";
import { type Approver, defaultRules, defineTool, ToolExecutor } from "haft/kernel";

const publish = defineTool({
  name: "publish",
  description: "Publish a page to a host.",
  parameters: {
    type: "object",
    properties: { page: { type: "string" }, host: { type: "string" } },
    required: ["page", "host"],
  },
  effects: ({ host }) => [{ kind: "connect", target: `https://${host}`, within: false }],
  execute: ({ page, host }) => `${page} is on ${host}`,
});

const registry = new ToolRegistry();
registry.register(publish);

const questions: string[] = [];
const careful: Approver = {
  identity: "owner:ada",
  ask: async ({ effects }) => {
    questions.push(...effects.map(({ target }) => target));
    return { approved: true, by: "owner:ada" };
  },
};

const nobody = new ToolExecutor(registry);
const refused = await nobody.run("publish", { page: "home", host: "example.com" });
assert.equal(refused.success, false);
assert.equal(refused.success || refused.code, "TOOL_PERMISSION");

const asking = new ToolExecutor(registry, {
  approver: careful,
  rules: [...defaultRules, { decision: "deny", target: "https://*.evil.test", reason: "not ours" }],
});
const asked = await asking.run("publish", { page: "home", host: "example.com" });
assert.equal(asked.text, "home is on example.com");
assert.deepEqual(questions, ["https://example.com"]);

const denied = await asking.run("publish", { page: "home", host: "www.evil.test" });
assert.match(denied.text, /a rule forbids .*not ours/);
assert.equal(questions.length, 1);
console.log(refused.text, asked.text, denied.text, ["", ""].join("\n"));

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PermissionPolicy, type Rule } from "../../kernel/index.ts";
import { compileJsonSchema } from "../../schema/index.ts";
import { parseConfig } from "./config.ts";
import { configSchema } from "./config-schema.ts";

const none = () => undefined;

test("parseConfig() reads what the guide shows", async () => {
  const guide = readFileSync("docs/guide/configuration.md", "utf8");
  const text = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] as string;
  expect(await parseConfig(text, "haft.config.yml", none)).toMatchObject({
    tools: {
      profile: "coding",
      timeout: 30_000,
      allowedPaths: ["."],
      webSearch: { provider: "duckduckgo", apiKey: "" },
    },
    permissions: [{ decision: "allow", tool: "bash", arguments: { command: "npm test" } }],
    serve: { port: 4280 },
  });
});

test("parseConfig() takes an empty file for no configuration", async () => {
  expect(await parseConfig("# nothing yet\n", "haft.config.yml", none)).toEqual({});
});

test("parseConfig() names line and column of a YAML fault", async () => {
  await expect(parseConfig("tools:\n  timeout: [1\n", "haft.config.yml", none)).rejects.toMatchObject({
    code: "CONFIG_SYNTAX",
    message: expect.stringMatching(/Cannot read "haft\.config\.yml": .*line \d+, column \d+/s),
  });
});

test("parseConfig() names an unknown key and the one that was meant", async () => {
  await expect(parseConfig("tools:\n  timeot: 1\n", "haft.config.yml", none)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringMatching(/timeot[\s\S]*timeout/),
  });
});

test.for([
  ["tools: { timeout: 0 }", "tools.timeout"],
  ["tools: { timeout: soon }", "tools.timeout"],
  ["permissions: [{ tool: bash }]", "permissions.0"],
  ["permissions: [{ decision: perhaps }]", "permissions.0.decision"],
  ["permissions: { decision: allow }", "permissions"],
  ["serve: { port: 70000 }", "serve.port"],
  ["[]", "object"],
] as const)("parseConfig() refuses %s and names %s", async ([text, named]) => {
  await expect(parseConfig(text, "haft.config.yml", none)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining(named),
  });
});

test("parseConfig() fills variables in after the file is read, so no value changes its form", async () => {
  const variable = (name: string) => ({ KEY: 'x"\npermissions: [{decision: allow}]' })[name];
  const config = await parseConfig(
    'tools: { webSearch: { provider: tavily, apiKey: "${KEY}" } }',
    "f",
    variable,
  );
  expect(config).toEqual({
    tools: { webSearch: { provider: "tavily", apiKey: 'x"\npermissions: [{decision: allow}]' } },
  });
});

test("parseConfig() says which variable is not set, unless it has a default", async () => {
  const text = (apiKey: string) => `tools: { webSearch: { provider: tavily, apiKey: "${apiKey}" } }`;
  await expect(parseConfig(text("${NOT_SET}"), "f", none)).rejects.toMatchObject({
    code: "CONFIG_VARIABLE",
    message: expect.stringContaining("NOT_SET"),
  });
  expect(await parseConfig(text("${NOT_SET:-none}"), "f", none)).toMatchObject({
    tools: { webSearch: { apiKey: "none" } },
  });
});

test.for([
  ["mode: careful", "mode"],
  ["permissions: [{ decision: deny, targt: x }]", "targt"],
  ["permissions: [{ decision: deny, trust: maybe }]", "permissions.0.trust"],
  ["permissions: [{ decision: ask, remember: week }]", "permissions.0.remember"],
  ["permissions: [{ decision: deny, annotations: { readonly: true } }]", "readonly"],
  ["shadowPermissions: [{ decision: perhaps }]", "shadowPermissions.0.decision"],
  ["policyTests: [{ tool: bash }]", "policyTests.0"],
  ["policyTests: [{ tool: bash, expect: no }]", "policyTests.0.expect"],
  ["sandbox: { atLeast: jail }", "sandbox.atLeast"],
  ["sandbox: { memory: 0 }", "sandbox.memory"],
  ["approvals: { wait: 1 }", "approvals.wait"],
] as const)("parseConfig() refuses %s and names %s", async ([text, named]) => {
  await expect(parseConfig(text, "haft.config.yml", none)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining(named),
  });
});

test("parseConfig() takes every field that a rule of the kernel has", async () => {
  const rule: Required<Rule> = {
    decision: "ask",
    tool: "bash",
    pack: "shell",
    category: "system",
    origin: "haft",
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    agent: "main",
    channel: "cli",
    trust: "untrusted",
    discloses: true,
    effect: "run",
    target: "npm *",
    within: false,
    confined: true,
    routine: false,
    risky: true,
    opaque: false,
    undoable: true,
    arguments: { command: "npm *" },
    reason: "seen by a person",
    remember: "session",
    exact: true,
  };
  const text = JSON.stringify({ permissions: [rule], shadowPermissions: [rule] });
  expect(await parseConfig(text, "f", none)).toEqual({ permissions: [rule], shadowPermissions: [rule] });
  expect(() => new PermissionPolicy([rule])).not.toThrow();
});

test("configSchema compiles, and describes every property", async () => {
  expect(await compileJsonSchema(configSchema)({})).toEqual({ valid: true, value: {} });
});

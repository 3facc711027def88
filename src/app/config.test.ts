import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compileJsonSchema } from "../schema/index.ts";
import { mergeConfigs, onlyStricter, parseConfig } from "./config.ts";
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

test("onlyStricter() keeps deny and ask rules and nothing else", () => {
  const deny = { decision: "deny", tool: "bash" } as const;
  const ask = { decision: "ask", effect: "write" } as const;
  expect(
    onlyStricter({
      tools: { allowedPaths: ["/"], allowedHosts: ["*"] },
      serve: { port: 1 },
      store: { path: "/elsewhere" },
      permissions: [{ decision: "allow", tool: "*" }, deny, ask],
    }),
  ).toEqual({ permissions: [deny, ask] });
  expect(onlyStricter({ tools: { timeout: 1 } })).toEqual({});
});

test("mergeConfigs() lets the project's values stand over the user's, and keeps the rules of both", () => {
  const deny = { decision: "deny", tool: "bash" } as const;
  const allow = { decision: "allow", tool: "bash" } as const;
  expect(
    mergeConfigs(
      { tools: { timeout: 1, maxConcurrent: 2 }, permissions: [deny] },
      { tools: { timeout: 5 }, permissions: [allow] },
    ),
  ).toEqual({ tools: { timeout: 5, maxConcurrent: 2 }, serve: {}, store: {}, permissions: [deny, allow] });
});

test("configSchema compiles, and describes every property", async () => {
  expect(await compileJsonSchema(configSchema)({})).toEqual({ valid: true, value: {} });
});

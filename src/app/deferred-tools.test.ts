import { expect, test } from "vitest";
import { readCatalogue } from "../../test/support/catalogue.ts";
import { toTargetTool } from "../formats/index.ts";
import { defineTool, type McpTool, selectionToolNames, ToolExecutor, ToolRegistry } from "../kernel/index.ts";
import { estimateTokens } from "../search/index.ts";
import catalogue from "./catalogue.json" with { type: "json" };
import { deferTools, findKnownTokens, type ToolEntry } from "./deferred-tools.ts";

test("catalogue.json says of every tool what the tool itself says (`npm run catalogue` writes it anew)", async () => {
  expect(catalogue).toEqual(await readCatalogue());
});

test("the tokens of each definition in the catalogue are those of the definition that an MCP client gets", () => {
  for (const family of Object.keys(catalogue)) {
    const registry = new ToolRegistry({ format: toTargetTool });
    registry.registerMany(deferTools(family, () => Promise.reject(new Error("not loaded"))));
    for (const tool of registry.list().filter(({ name }) => !selectionToolNames.includes(name))) {
      const { name, description, inputSchema } = registry.toLLMTool(tool.name, "mcp") as McpTool;
      const estimate = estimateTokens(JSON.stringify({ name, description, inputSchema }));
      expect(findKnownTokens(tool), name).toBe(estimate);
      expect(findKnownTokens({ ...tool, pack: "mine" }), name).toBe(estimate);
      expect(findKnownTokens({ ...tool, description: "Another." })).toBeUndefined();
    }
  }
});

test("each tool that ships and may not be repeated says what to look at before its call is made again", () => {
  const silent = Object.values(catalogue as Readonly<Record<string, readonly ToolEntry[]>>)
    .flat()
    .filter(({ annotations, verify }) => !annotations.readOnly && !annotations.idempotent && !verify)
    .map(({ name }) => name);
  // What it stands for is looked at: another call.
  expect(silent).toEqual(["call_tool"]);
});

test("deferTools() loads the code of a family once, at the first call of one of its tools", async () => {
  let loads = 0;
  const parse = defineTool({
    name: "json_parse",
    description: "Stands for the real one.",
    parameters: {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value) => ({ value: { text: String(value) } }),
        jsonSchema: { input: () => ({}) },
      },
    },
    annotations: { readOnly: true, openWorld: false },
    execute: (params) => JSON.stringify(params),
  });
  const registry = new ToolRegistry({ format: toTargetTool });
  registry.registerMany(
    deferTools("data", async () => {
      loads++;
      return [parse];
    }),
  );
  const executor = new ToolExecutor(registry);
  expect(registry.toLLMTools("mcp").length).toBe(catalogue.data.length);
  expect(loads).toBe(0);
  const both = await Promise.all([executor.execute("json_parse", 1), executor.execute("json_parse", 2)]);
  expect(both.map(({ text }) => text)).toEqual(['{"text":"1"}', '{"text":"2"}']);
  expect(loads).toBe(1);
  expect(await executor.execute("json_stringify", {})).toMatchObject({
    success: false,
    error: expect.stringContaining("out of date"),
  });
});

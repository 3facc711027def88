import { expect, test } from "vitest";
import { toTargetTool } from "../../../formats/index.ts";
import {
  type CallContext,
  defineTool,
  sourceRanks,
  type Tool,
  ToolExecutor,
  ToolRegistry,
} from "../../../kernel/index.ts";
import type { Params } from "../messages/message.ts";
import { RpcError } from "../messages/rpc-error.ts";
import { ToolList, type ToolListOptions } from "./tool-list.ts";

function tool(name: string, more: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({ name, description: `Do ${name}.`, parameters: { type: "object" }, execute: () => name }),
    ...more,
  };
}

function createList(tools: readonly Tool[], options: Partial<ToolListOptions> = {}) {
  const registry = new ToolRegistry({ format: toTargetTool });
  registry.registerMany(tools);
  const list = new ToolList({ registry, shown: undefined, pageSize: 100, ttlMs: 5, ...options });
  const executor = new ToolExecutor(registry);
  return {
    registry,
    list: {
      page: (params: Params, modern: boolean, allowedTools?: CallContext["allowedTools"]) =>
        list.page(params, modern, {
          toolset: executor.toolset(allowedTools === undefined ? {} : { allowedTools }),
        }),
      headerParams: (name: string) => list.headerParams(name),
    },
  };
}

interface Listed {
  readonly tools: readonly Record<string, unknown>[];
  readonly nextCursor?: string;
}

function parse(members: string): Listed {
  return JSON.parse(`{${members}}`) as Listed;
}

test("ToolList writes a page once and gives the same text until the tools change", () => {
  const { registry, list } = createList([tool("a")]);
  const first = list.page({}, true);
  expect(list.page({}, true)).toBe(first);
  registry.register(tool("b"));
  expect(parse(list.page({}, true)).tools.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("ToolList says for how long a page is good in the modern era, and not before", () => {
  const { list } = createList([tool("a")]);
  expect(parse(list.page({}, true))).toMatchObject({ ttlMs: 5, cacheScope: "private" });
  expect(Object.keys(parse(list.page({}, false)))).toEqual(["tools"]);
});

test("ToolList pages through a long list in order, each tool once", () => {
  const names = Array.from({ length: 25 }, (_, count) => `tool_${count}`);
  const { list } = createList(
    names.map((name) => tool(name)),
    { pageSize: 10 },
  );
  const seen: unknown[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = parse(list.page(cursor === undefined ? {} : { cursor }, true));
    seen.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
    pages++;
  } while (cursor !== undefined);
  expect(seen).toEqual(names);
  expect(pages).toBe(3);
});

test("ToolList takes a cursor as long as the list reads the same, though its tools were registered anew", () => {
  const make = () => ["a", "b", "c"].map((name) => tool(name));
  const { registry, list } = createList([], { pageSize: 2 });
  const source = registry.source("server", sourceRanks.mcp);
  source.put(make());
  const { nextCursor } = parse(list.page({}, true));
  source.put(make());
  expect(parse(list.page({ cursor: nextCursor }, true)).tools.map(({ name }) => name)).toEqual(["c"]);
  source.put([...make().slice(0, 2), tool("c", { description: "Do c otherwise." })]);
  expect(() => list.page({ cursor: nextCursor }, true)).toThrow(RpcError);
});

test("ToolList is put together once for all its pages, and writes only what is new after a change", () => {
  const looked: string[] = [];
  const shown = ({ name }: { readonly name: string }) => looked.push(name) > 0;
  const written: string[] = [];
  const watched = (name: string) =>
    tool(name, {
      icons: [{ src: "data:,", toJSON: () => written.push(name) } as { readonly src: string }],
    });
  const { registry, list } = createList([], { pageSize: 1, shown });
  const source = registry.source("server", sourceRanks.mcp);
  const tools = ["a", "b", "c"].map(watched);
  source.put(tools);
  let cursor: string | undefined;
  do cursor = parse(list.page(cursor === undefined ? {} : { cursor }, true)).nextCursor;
  while (cursor !== undefined);
  list.page({}, false);
  expect([looked, written]).toEqual([
    ["a", "b", "c"],
    ["a", "b", "c"],
  ]);
  source.put([...tools, watched("d")]);
  list.page({}, false);
  expect(written).toEqual(["a", "b", "c", "d"]);
});

test("ToolList refuses a cursor of a list that has changed since", () => {
  const { registry, list } = createList([tool("a"), tool("b")], { pageSize: 1 });
  const { nextCursor } = parse(list.page({}, true));
  registry.register(tool("c"));
  expect(() => list.page({ cursor: nextCursor }, true)).toThrow(RpcError);
});

test("ToolList shows only what it is told to show, and only what a client may call", () => {
  const { list } = createList([tool("a"), tool("b"), tool("c")], { shown: ({ name }) => name !== "b" });
  const allowed = ["b", "c"];
  expect(parse(list.page({}, true)).tools.map(({ name }) => name)).toEqual(["a", "c"]);
  expect(parse(list.page({}, true, allowed)).tools.map(({ name }) => name)).toEqual(["c"]);
  expect(list.page({}, true, allowed)).toBe(list.page({}, true, allowed));
});

test("ToolList shows a tool with its title, hints, icons and the form of its results", () => {
  const { list } = createList([
    tool("a", {
      title: "A",
      annotations: { readOnly: true, openWorld: false },
      icons: [{ src: "https://example.com/a.png" }],
      output: { type: "object", properties: { b: { type: "string" } } },
    }),
  ]);
  expect(parse(list.page({}, false)).tools).toMatchObject([
    {
      name: "a",
      title: "A",
      description: "Do a.",
      inputSchema: { type: "object" },
      outputSchema: { type: "object", properties: { b: { type: "string" } } },
      annotations: { readOnlyHint: true, openWorldHint: false },
      icons: [{ src: "https://example.com/a.png" }],
    },
  ]);
});

test("ToolList keeps from older revisions a form of results that is no object, which they could not read", () => {
  const { list } = createList([tool("a", { output: { type: "array" } })]);
  expect(parse(list.page({}, true)).tools[0]).toHaveProperty("outputSchema", { type: "array" });
  expect(parse(list.page({}, false)).tools[0]).not.toHaveProperty("outputSchema");
});

test("ToolList leaves out a tool that is in quarantine, and no other", () => {
  const broken = tool("broken", {
    parameters: {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) => ({ value }),
        jsonSchema: {
          input: () => {
            throw new Error("no schema");
          },
        },
      },
    },
  });
  const { list } = createList([tool("a"), broken, tool("b")]);
  expect(parse(list.page({}, true)).tools.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("ToolList knows the arguments that are repeated in headers, also nested ones", () => {
  const parameters = {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      deep: { type: "object", properties: { flag: { type: "boolean", "x-mcp-header": "Flag" } } },
    },
  };
  const { list } = createList([tool("a", { parameters })]);
  expect(list.headerParams("a")).toEqual([
    { header: "region", path: ["region"] },
    { header: "flag", path: ["deep", "flag"] },
  ]);
  expect(list.headerParams("b")).toEqual([]);
});

test("ToolList shows an interaction in its own order, and interactions that show the same the same text", () => {
  const registry = new ToolRegistry({ format: toTargetTool });
  registry.registerMany([tool("a"), tool("b"), tool("c")]);
  const list = new ToolList({ registry, shown: undefined, pageSize: 2, ttlMs: 5 });
  const executor = new ToolExecutor(registry);
  const page = (cursor?: string, ...names: readonly string[]) =>
    list.page(cursor === undefined ? {} : { cursor }, true, {
      toolset: executor.toolset({ limits: [{ by: "test", shownTools: names }] }),
      shown: names.flatMap((name) => registry.get(name) ?? []),
    });
  const first = page(undefined, "c", "a");
  expect(parse(first).tools.map(({ name }) => name)).toEqual(["c", "a"]);
  expect(page(undefined, "c", "a")).toBe(first);
  expect(parse(page(undefined, "a")).tools.map(({ name }) => name)).toEqual(["a"]);
  const { nextCursor } = parse(page(undefined, "c", "a", "b"));
  expect(parse(page(nextCursor, "c", "a", "b")).tools.map(({ name }) => name)).toEqual(["b"]);
  expect(() => page(nextCursor, "c", "b", "a")).toThrow(RpcError);
});

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type Tool } from "../tool/tool.ts";
import { type RegistryEvent, ToolRegistry } from "./registry.ts";
import { sourceRanks } from "./tool-sources.ts";

function makeTool(name: string, description: string, more: Partial<Tool> = {}): Tool {
  return { ...defineTool({ name, description, parameters: z.object({}), execute: () => "" }), ...more };
}

function createRegistry() {
  const registry = new ToolRegistry();
  const events: RegistryEvent[] = [];
  registry.onChange((event) => void events.push(event));
  const shown = () => registry.list().map(({ name, description }) => `${name}: ${description}`);
  return { registry, events, shown };
}

describe("put", () => {
  test("replaces what was on the source, in one change of each kind", () => {
    const { registry, events, shown } = createRegistry();
    registry.register(makeTool("own", "of the program"));
    const source = registry.source("files", sourceRanks.custom);
    const stays = makeTool("b", "stays");
    expect(source.put([makeTool("a", "goes"), stays, makeTool("c", "first")])).toEqual([]);
    expect(source.put([stays, makeTool("c", "second"), makeTool("d", "comes")])).toEqual([]);
    expect(shown()).toEqual(["own: of the program", "b: stays", "c: second", "d: comes"]);
    expect(events.slice(1)).toEqual([
      { type: "tool.registered", names: ["a", "b", "c"] },
      { type: "tool.unregistered", names: ["a"] },
      { type: "tool.registered", names: ["c", "d"] },
    ]);
  });

  test("says nothing where nothing is new", () => {
    const { registry, events } = createRegistry();
    const source = registry.source("files", sourceRanks.custom);
    const tool = makeTool("a", "one");
    source.put([tool]);
    source.put([tool]);
    expect(events).toHaveLength(1);
  });

  test("skips what is wrong, and takes the rest", () => {
    const { registry, shown } = createRegistry();
    const source = registry.source("files", sourceRanks.custom);
    const skipped = source.put([
      makeTool("a", "good", { name: "not a name" }),
      makeTool("b", "good"),
      makeTool("b", "twin"),
      makeTool("c", "said", { description: " " }),
    ]);
    expect(shown()).toEqual(["b: good"]);
    expect(skipped).toEqual([
      { name: "not a name", reason: expect.stringContaining("a name has 1 to 64 letters") },
      { name: "b", reason: '"files" has two tools of this name' },
      { name: "c", reason: expect.stringContaining("its description is empty") },
    ]);
    expect(source.skipped()).toEqual(skipped);
  });

  test("keeps what was counted of a tool that is brought again", () => {
    const { registry } = createRegistry();
    const source = registry.source("files", sourceRanks.custom);
    source.put([makeTool("a", "one")]);
    registry.updateCallStats("a", 5, true);
    source.put([makeTool("a", "two")]);
    expect(registry.getStats().callStats).toEqual({ a: { count: 1, failures: 0, avgDuration: 5 } });
  });
});

describe("a name that several bring", () => {
  const orders: readonly (readonly number[])[] = [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0],
  ];
  test.for(orders)("is built-in, custom, manifest, MCP, whoever comes first (%s)", (order) => {
    const { registry, shown } = createRegistry();
    const ranks = [sourceRanks.custom, sourceRanks.manifest, sourceRanks.mcp];
    const sources = ["custom", "manifest", "mcp"].map((name, index) =>
      registry.source(name, ranks[index] as 1 | 2 | 3),
    );
    for (const index of order) sources[index]?.put([makeTool("deploy", `of ${sources[index].name}`)]);
    expect(shown()).toEqual(["deploy: of custom"]);
    expect(sources[2]?.skipped()).toEqual([
      { name: "deploy", reason: "the name is taken by a tool of custom; rename one of them" },
    ]);
    sources[0]?.close();
    expect(shown()).toEqual(["deploy: of manifest"]);
    sources[1]?.close();
    expect(shown()).toEqual(["deploy: of mcp"]);
    expect(sources[2]?.skipped()).toEqual([]);
  });

  test("stays with the program, and with who came first of one rank", () => {
    const { registry, shown } = createRegistry();
    registry.register(makeTool("read", "ours"));
    const first = registry.source("first", sourceRanks.mcp);
    const second = registry.source("second", sourceRanks.mcp);
    second.put([makeTool("read", "theirs"), makeTool("get", "of second")]);
    first.put([makeTool("get", "of first")]);
    expect(shown()).toEqual(["read: ours", "get: of first"]);
    expect(() => registry.register(makeTool("get", "late"))).toThrow("the name is taken");
    registry.unregister("read");
    expect(shown()).toEqual(["read: theirs", "get: of first"]);
  });

  test("goes to an owner's tool that says `override`, and never to a server's", () => {
    const { registry, shown } = createRegistry();
    registry.register(makeTool("read", "ours"));
    registry.source("server", sourceRanks.mcp).put([makeTool("read", "theirs", { override: true })]);
    expect(shown()).toEqual(["read: ours"]);
    const own = registry.source("files", sourceRanks.custom);
    own.put([makeTool("read", "the owner's", { override: true })]);
    expect(shown()).toEqual(["read: the owner's"]);
    own.close();
    expect(shown()).toEqual(["read: ours"]);
  });
});

test("a source that is closed is gone, with what is put there later", () => {
  const { registry, shown } = createRegistry();
  registry.register(makeTool("read", "ours"));
  const source = registry.source("host", sourceRanks.mcp);
  source.put([makeTool("read", "theirs"), makeTool("get", "theirs")]);
  expect(registry.skipped()).toMatchObject([{ source: "host", name: "read" }]);
  source.close();
  expect(registry.skipped()).toEqual([]);
  expect(source.put([makeTool("get", "late"), makeTool("read", "late")])).toEqual([]);
  expect([shown(), registry.skipped()]).toEqual([["read: ours"], []]);
});

test("10,000 tools of one source are put and taken again", () => {
  const { registry } = createRegistry();
  const source = registry.source("many", sourceRanks.mcp);
  const tools = Array.from({ length: 10_000 }, (_, index) => makeTool(`tool_${index}`, "one of many"));
  source.put(tools);
  source.put([...tools.slice(0, -1), makeTool("tool_last", "another")]);
  expect(registry.list()).toHaveLength(10_000);
  source.close();
  expect(registry.list()).toEqual([]);
});

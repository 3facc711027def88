import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineTool, type Tool } from "../tool/tool.ts";
import { type RegistryEvent, ToolRegistry } from "./registry.ts";
import { shelfRanks } from "./tool-sources.ts";

function toolOf(name: string, description: string, more: Partial<Tool> = {}): Tool {
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
  test("replaces what was on the shelf, in one change of each kind", () => {
    const { registry, events, shown } = createRegistry();
    registry.register(toolOf("own", "of the program"));
    const shelf = registry.shelf("files", shelfRanks.custom);
    const stays = toolOf("b", "stays");
    expect(shelf.put([toolOf("a", "goes"), stays, toolOf("c", "first")])).toEqual([]);
    expect(shelf.put([stays, toolOf("c", "second"), toolOf("d", "comes")])).toEqual([]);
    expect(shown()).toEqual(["own: of the program", "b: stays", "c: second", "d: comes"]);
    expect(events.slice(1)).toEqual([
      { type: "tool.registered", names: ["a", "b", "c"] },
      { type: "tool.unregistered", names: ["a"] },
      { type: "tool.registered", names: ["c", "d"] },
    ]);
  });

  test("says nothing where nothing is new", () => {
    const { registry, events } = createRegistry();
    const shelf = registry.shelf("files", shelfRanks.custom);
    const tool = toolOf("a", "one");
    shelf.put([tool]);
    shelf.put([tool]);
    expect(events).toHaveLength(1);
  });

  test("skips what is wrong, and takes the rest", () => {
    const { registry, shown } = createRegistry();
    const shelf = registry.shelf("files", shelfRanks.custom);
    const skipped = shelf.put([
      toolOf("a", "good", { name: "not a name" }),
      toolOf("b", "good"),
      toolOf("b", "twin"),
      toolOf("c", "said", { description: " " }),
    ]);
    expect(shown()).toEqual(["b: good"]);
    expect(skipped).toEqual([
      { name: "not a name", reason: expect.stringContaining("a name has 1 to 64 letters") },
      { name: "b", reason: '"files" has two tools of this name' },
      { name: "c", reason: expect.stringContaining("its description is empty") },
    ]);
    expect(shelf.skipped()).toEqual(skipped);
  });

  test("keeps what was counted of a tool that is brought again", () => {
    const { registry } = createRegistry();
    const shelf = registry.shelf("files", shelfRanks.custom);
    shelf.put([toolOf("a", "one")]);
    registry.updateCallStats("a", 5, true);
    shelf.put([toolOf("a", "two")]);
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
    const ranks = [shelfRanks.custom, shelfRanks.manifest, shelfRanks.mcp];
    const shelves = ["custom", "manifest", "mcp"].map((name, index) =>
      registry.shelf(name, ranks[index] as 1 | 2 | 3),
    );
    for (const index of order) shelves[index]?.put([toolOf("deploy", `of ${shelves[index].name}`)]);
    expect(shown()).toEqual(["deploy: of custom"]);
    expect(shelves[2]?.skipped()).toEqual([
      { name: "deploy", reason: "the name is taken by a tool of custom; rename one of them" },
    ]);
    shelves[0]?.close();
    expect(shown()).toEqual(["deploy: of manifest"]);
    shelves[1]?.close();
    expect(shown()).toEqual(["deploy: of mcp"]);
    expect(shelves[2]?.skipped()).toEqual([]);
  });

  test("stays with the program, and with who came first of one rank", () => {
    const { registry, shown } = createRegistry();
    registry.register(toolOf("read", "ours"));
    const first = registry.shelf("first", shelfRanks.mcp);
    const second = registry.shelf("second", shelfRanks.mcp);
    second.put([toolOf("read", "theirs"), toolOf("get", "of second")]);
    first.put([toolOf("get", "of first")]);
    expect(shown()).toEqual(["read: ours", "get: of first"]);
    expect(() => registry.register(toolOf("get", "late"))).toThrow("the name is taken");
    registry.unregister("read");
    expect(shown()).toEqual(["read: theirs", "get: of first"]);
  });

  test("goes to an owner's tool that says `override`, and never to a server's", () => {
    const { registry, shown } = createRegistry();
    registry.register(toolOf("read", "ours"));
    registry.shelf("server", shelfRanks.mcp).put([toolOf("read", "theirs", { override: true })]);
    expect(shown()).toEqual(["read: ours"]);
    const own = registry.shelf("files", shelfRanks.custom);
    own.put([toolOf("read", "the owner's", { override: true })]);
    expect(shown()).toEqual(["read: the owner's"]);
    own.close();
    expect(shown()).toEqual(["read: ours"]);
  });
});

test("a shelf that is closed is gone, with what is put there later", () => {
  const { registry, shown } = createRegistry();
  registry.register(toolOf("read", "ours"));
  const shelf = registry.shelf("host", shelfRanks.mcp);
  shelf.put([toolOf("read", "theirs"), toolOf("get", "theirs")]);
  expect(registry.skipped()).toMatchObject([{ shelf: "host", name: "read" }]);
  shelf.close();
  expect(registry.skipped()).toEqual([]);
  expect(shelf.put([toolOf("get", "late"), toolOf("read", "late")])).toEqual([]);
  expect([shown(), registry.skipped()]).toEqual([["read: ours"], []]);
});

test("10,000 tools of one shelf are put and taken again", () => {
  const { registry } = createRegistry();
  const shelf = registry.shelf("many", shelfRanks.mcp);
  const tools = Array.from({ length: 10_000 }, (_, index) => toolOf(`tool_${index}`, "one of many"));
  shelf.put(tools);
  shelf.put([...tools.slice(0, -1), toolOf("tool_last", "another")]);
  expect(registry.list()).toHaveLength(10_000);
  shelf.close();
  expect(registry.list()).toEqual([]);
});

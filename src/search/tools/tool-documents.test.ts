import { expect, test } from "vitest";
import { systemClock } from "../../base/index.ts";
import { ToolRegistry } from "../../kernel/registry/registry.ts";
import { defineTool } from "../../kernel/tool/tool.ts";
import { ToolDocuments } from "./tool-documents.ts";
import { VectorSource } from "./vector-source.ts";

function tool(name: string, pack?: string) {
  return defineTool({
    name,
    description: `Does ${name}.`,
    ...(pack !== undefined && { pack }),
    parameters: { type: "object" },
    execute: () => "",
  });
}

function open() {
  const registry = new ToolRegistry({ compile: () => () => ({ valid: true, value: {} }) });
  registry.registerMany([tool("a", "one"), tool("b", "two"), tool("c", "two"), tool("d")]);
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const documents = new ToolDocuments({
    registry,
    onError,
    clock: systemClock,
    source: new VectorSource({ embedder: undefined, cache: undefined, onError }),
    signal: new AbortController().signal,
    usage: undefined,
    store: undefined,
    onProgress: () => {},
    packText: () => undefined,
    onPackChange: () => {},
  });
  return { registry, documents, errors };
}

test("ToolDocuments.searched() groups a list of tools by pack once, and again after a tool changed", async () => {
  const { registry, documents, errors } = open();
  await documents.settled();
  const { tools } = registry.snapshot();
  const grouped = documents.searched(tools);
  expect([...grouped.packs.values()].map((slots) => slots.length)).toEqual([1, 1, 2]);
  expect(documents.searched(tools)).toBe(grouped);
  registry.register(tool("e", "one"));
  await documents.settled();
  const after = documents.searched(registry.snapshot().tools);
  expect(after).not.toBe(grouped);
  expect([...after.packs.values()].map((slots) => slots.length)).toEqual([1, 2, 2]);
  await documents.close();
  expect(errors).toEqual([]);
});

test("ToolDocuments.searched() numbers the packs of the tools that are searched, and no pack of tools without one", async () => {
  const { registry, documents } = open();
  await documents.settled();
  const some = registry.snapshot().tools.filter(({ name }) => name !== "b");
  const { slots, packAt, packSizes } = documents.searched(some);
  const findNumber = (name: string) => packAt[documents.get(name)?.slot ?? -1];
  expect(slots).toHaveLength(3);
  expect([findNumber("a"), findNumber("b"), findNumber("c"), findNumber("d")]).toEqual([0, -1, 1, -1]);
  expect(packSizes).toEqual([1, 1]);
  await documents.close();
});

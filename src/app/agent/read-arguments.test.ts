import { expect, test } from "vitest";
import { z } from "zod";
import { toTargetTool } from "../../formats/index.ts";
import { defineTool, ToolRegistry, unwrapCallTool } from "../../kernel/index.ts";
import { readArguments } from "./read-arguments.ts";

const registry = new ToolRegistry({ format: toTargetTool });
registry.registerMany([
  defineTool({
    name: "stamp",
    description: "Stamp a text.",
    parameters: z.strictObject({ text: z.string(), times: z.int().optional() }),
    execute: () => "",
  }),
  defineTool({
    name: "call_tool",
    description: "Call a tool.",
    parameters: z.strictObject({ name: z.string(), arguments: z.looseObject({}) }),
    unwrap: unwrapCallTool,
    execute: () => "",
  }),
]);

test("readArguments() reads arguments inside of call_tool by the definition of the tool that is meant", () => {
  const facts = { dialect: "openai-strict" } as const;
  // In this form what is left out is null.
  const given = { text: "a", times: null };
  expect(readArguments(registry, "stamp", given, facts)).toEqual({ text: "a" });
  expect(readArguments(registry, "call_tool", { name: "stamp", arguments: given }, facts)).toEqual({
    name: "stamp",
    arguments: { text: "a" },
  });
  for (const other of ["broken", { name: "stamp", more: 1 }, { name: "missing", arguments: given }])
    expect(readArguments(registry, "call_tool", other, facts)).toEqual(other);
});

// A tool, a registry, an executor: the whole kernel in one file.
import assert from "node:assert/strict";
import { ToolRegistry } from "haft";
import { defineTool, ToolExecutor } from "haft/kernel";
import { z } from "zod";

const greet = defineTool({
  name: "greet",
  description: "Greet somebody by name.",
  parameters: z.object({ name: z.string(), times: z.number().int().min(1).max(3).default(1) }),
  annotations: { readOnly: true, openWorld: false },
  execute: ({ name, times }) => `Hello, ${name}! `.repeat(times).trim(),
});

const registry = new ToolRegistry();
registry.register(greet);
const executor = new ToolExecutor(registry);

const result = await executor.run("greet", { name: "Ada", times: "2" });
assert.equal(result.text, "Hello, Ada! Hello, Ada!");
assert.deepEqual(result.notes, ['times: read the text "2" as the number 2']);
console.log(result.text);

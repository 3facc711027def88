// A tool that shows its output as it comes, and what is left of it when its caller gives up.
import assert from "node:assert/strict";
import { ToolRegistry } from "haft";
import { defineTool, ToolExecutor } from "haft/kernel";
import { z } from "zod";

const count = defineTool({
  name: "count",
  description: "Count up to a number, one line each.",
  parameters: z.object({ to: z.number().int() }),
  annotations: { readOnly: true, openWorld: false },
  async *execute({ to }) {
    for (let i = 1; i <= to; i++) {
      yield { type: "output", text: `${i}\n` };
      yield { type: "progress", progress: i, total: to };
    }
    return `counted to ${to}`;
  },
});

const registry = new ToolRegistry();
registry.register(count);
const executor = new ToolExecutor(registry);

const seen: string[] = [];
const done = await executor.run("count", { to: 3 }, { onUpdate: (update) => seen.push(update.type) });
assert.equal(done.text, "counted to 3");
assert.deepEqual(seen, ["output", "progress", "output", "progress", "output", "progress"]);

const giveUp = new AbortController();
const stopped = await executor.run(
  "count",
  { to: 1_000_000 },
  {
    signal: giveUp.signal,
    onUpdate: (update) => update.type === "progress" && update.progress === 5 && giveUp.abort(),
  },
);
assert.equal(stopped.success || stopped.code, "TOOL_CANCELLED");
assert.match(stopped.text, /5\n/);
console.log(done.text, stopped.success || stopped.error);

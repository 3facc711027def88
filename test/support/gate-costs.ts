// Run as a program by src/kernel/call/costs.test.ts, with --expose-gc: prints what calls of the gate cost, as JSON.

import { createHook } from "node:async_hooks";
import { z } from "zod";
import { ToolRegistry } from "../../src/index.ts";
import { defineTool, ToolExecutor } from "../../src/kernel/index.ts";

/** What one call costs. */
export interface GateCosts {
  readonly bytes: number;
  readonly promises: number;
}

const annotations = { readOnly: true, openWorld: false } as const;
const parameters = z.strictObject({ path: z.string().min(1), limit: z.int().min(1), recursive: z.boolean() });
const base = { description: "Echo.", annotations, parameters };

const tools = {
  /** Its result is there at once. */
  sync: defineTool({ ...base, name: "sync", execute: ({ path }) => path }),
  /** Its result is there one tick later. */
  async: defineTool({ ...base, name: "async", execute: async ({ path }) => path }),
  /** It is decided by an effect, and holds a lock. */
  effect: defineTool({
    ...base,
    name: "effect",
    effects: ({ path }) => [{ kind: "read", target: path, within: true }],
    execute: async ({ path }) => path,
  }),
};

const registry = new ToolRegistry();
registry.registerMany(Object.values(tools));
const executor = new ToolExecutor(registry);
executor.events.on(() => {});
const params = { path: "/tmp/a", limit: 10, recursive: true };

async function callOften(name: string, calls: number): Promise<void> {
  for (let done = 0; done < calls; done++) await executor.run(name, params);
}

/** The least of several rounds: whatever else the process does now and then is in the others. */
async function countLeast(rounds: number, count: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) least = Math.min(least, await count());
  return least;
}

async function countBytes(name: string): Promise<number> {
  const calls = 500;
  const { gc } = globalThis as { readonly gc?: () => void };
  gc?.();
  const before = process.memoryUsage().heapUsed;
  await callOften(name, calls);
  return (process.memoryUsage().heapUsed - before) / calls;
}

async function countPromises(name: string): Promise<number> {
  const calls = 100;
  let promises = 0;
  const hook = createHook({ init: (_id, type) => (promises += type === "PROMISE" ? 1 : 0) });
  hook.enable();
  await callOften(name, calls);
  hook.disable();
  return promises / calls;
}

const costs: Record<string, GateCosts> = {};
for (const name of Object.keys(tools)) {
  await callOften(name, 20_000); // Compiled as in use, and as many texts waiting as ever will.
  costs[name] = {
    bytes: await countLeast(10, () => countBytes(name)),
    promises: await countLeast(3, () => countPromises(name)),
  };
}
console.log(JSON.stringify(costs));

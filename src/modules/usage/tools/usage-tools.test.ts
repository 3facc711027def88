import { expect, test } from "vitest";
import { openStore } from "../../../app/store/index.ts";
import { ToolExecutor, ToolRegistry } from "../../../kernel/index.ts";
import { createFakeClock } from "../../../testing/index.ts";
import type { CallUsage, NewModelCall } from "../index.ts";
import { tokenUsageTools, usageTools } from "./index.ts";

const utc = { toWallTime: (at: number) => at, fromWallTime: (at: number) => at };
const noon = Date.UTC(2026, 10, 25, 12);
const day = 86_400_000;

const counted: CallUsage = {
  inputTokens: 1000,
  cacheReadTokens: 800,
  cacheWriteTokens: 100,
  outputTokens: 200,
  reasoningTokens: 50,
  costMicros: 4500,
  priced: "table",
};
const unpriced: CallUsage = { ...counted, costMicros: undefined, priced: "no" };

/** Calls of three days, and the tools that count them. */
async function openTools() {
  const clock = createFakeClock(noon - 40 * day);
  const store = await openStore({ path: ":memory:", clock });
  const make = async (part: Partial<NewModelCall>, usage: CallUsage = counted) => {
    const call = { scope: "local", model: "test/a", purpose: "step", reserved: counted, ...part } as const;
    await store.usage.end("local", await store.usage.begin(call), { usage, stop: "end" });
  };
  await make({ source: "terminal" });
  await clock.advance(39 * day);
  await make({
    source: "terminal",
    run: { id: "r1", rootId: "r1", step: 1 },
    agentId: "main",
    project: "/p",
  });
  await make({
    source: "telegram",
    run: { id: "r2", rootId: "r1", step: 1 },
    agentId: "helper",
    model: "test/b",
  });
  await clock.advance(day);
  await make({ purpose: "memory", model: "test/free" }, unpriced);
  const registry = new ToolRegistry();
  const services = { usage: store.usage, now: () => clock.now(), zone: utc };
  registry.registerMany([...usageTools(services), ...tokenUsageTools(services)]);
  const executor = new ToolExecutor(registry);
  const call = (name: string, params: Record<string, unknown>) =>
    executor.execute(name, params, { scope: "local" });
  /** The result of a call that does not fail. */
  const read = async (name: string, params: Record<string, unknown> = {}): Promise<unknown> => {
    const outcome = await call(name, params);
    return "result" in outcome ? outcome.result : outcome;
  };
  return { store, call, read };
}

test("usage_stats counts 30 days by day, model and source, and says what is unpriced", async () => {
  const { store, read } = await openTools();
  expect(await read("usage_stats")).toEqual({
    from: "2026-10-27",
    days: 30,
    total: {
      messages: 3,
      tokens: 3600,
      inputTokens: 3000,
      outputTokens: 600,
      cacheReadTokens: 2400,
      cacheWriteTokens: 300,
      reasoningTokens: 150,
      costUsd: 0.009,
      unpriced: 1,
    },
    perDay: [
      expect.objectContaining({ day: "2026-11-24", messages: 2, tokens: 2400, costUsd: 0.009 }),
      expect.objectContaining({ day: "2026-11-25", messages: 1, costUsd: null, unpriced: 1 }),
    ],
    perModel: [
      expect.objectContaining({ model: "test/a", messages: 1 }),
      expect.objectContaining({ model: "test/b", messages: 1 }),
      expect.objectContaining({ model: "test/free", costUsd: null }),
    ],
    perSource: [
      expect.objectContaining({ source: "memory" }),
      expect.objectContaining({ source: "telegram" }),
      expect.objectContaining({ source: "terminal", messages: 1 }),
    ],
  });
  await store.close();
});

test("usage_stats counts the days and the source that it is asked for, and refuses others", async () => {
  const { store, call, read } = await openTools();
  expect(await read("usage_stats", { days: 1 })).toMatchObject({
    from: "2026-11-25",
    total: { messages: 1, costUsd: null },
  });
  expect(await read("usage_stats", { days: 365, source: "terminal" })).toMatchObject({
    source: "terminal",
    total: { messages: 2 },
  });
  expect(await read("usage_stats", { source: "nowhere" })).toMatchObject({
    total: { messages: 0, tokens: 0, costUsd: 0 },
    perDay: [],
  });
  for (const days of [0, 366, 1.5])
    expect(await call("usage_stats", { days })).toMatchObject({ code: "TOOL_VALIDATION" });
  await store.close();
});

test("get_token_usage counts everything, a project, or a task with those that it began", async () => {
  const { store, read } = await openTools();
  expect(await read("get_token_usage", {})).toMatchObject({
    total: { messages: 4 },
    perTask: [{ task_id: "r1", messages: 2, tokens: 2400 }],
  });
  expect(await read("get_token_usage", { project_id: "/p" })).toMatchObject({
    project_id: "/p",
    total: { messages: 1 },
  });
  expect(await read("get_token_usage", { task_id: "r1" })).toMatchObject({
    total: { messages: 2, costUsd: 0.009 },
    perModel: [{ model: "test/a" }, { model: "test/b" }],
    perAgent: [{ agent: "helper" }, { agent: "main" }],
  });
  expect(await read("get_token_usage", { task_id: "none" })).toMatchObject({
    total: { messages: 0 },
  });
  await store.close();
});

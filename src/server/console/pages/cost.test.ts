import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ConsoleViews } from "../../../../test/support/console-views.ts";
import type { App } from "../../../app/index.ts";
import type { CallUsage } from "../../../modules/usage/index.ts";

// No day ends within a test.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

const usage: CallUsage = {
  inputTokens: 1000,
  outputTokens: 100,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  costMicros: 250_000,
  priced: "table",
};

async function ask(app: App, agentId: string) {
  const { usage: store } = await app.store();
  const id = await store.begin({
    scope: "local",
    model: "test/small",
    purpose: "step",
    agentId,
    run: { id: `r_${agentId}`, rootId: `r_${agentId}`, step: 1 },
    reserved: usage,
  });
  await store.end("local", id, { usage });
}

const config = "agent:\n  budget: { day: { usd: 1 }, agentDay: { tokens: 2200 } }\n";

test("what models and tools cost is added up, and so is what is left of today's budgets", async () => {
  const { app, ...rest } = await ConsoleViews.open(config);
  const views = new ConsoleViews(rest.installation, app);
  await ask(app, "main");
  await ask(app, "scout");
  await app.executor.run("read", { path: "nowhere.txt" }, app.context);
  const cost = await views.ask("GET /cost", { query: { days: "7" } });
  expect(cost).toMatchObject({
    days: 7,
    total: { calls: 2, costMicros: 500_000, totalTokens: 2200 },
    byModel: [{ model: "test/small", calls: 2 }],
    byTool: [{ value: "read", calls: 1, failed: 1, p95Ms: expect.any(Number) }],
  });
  expect(new Set(cost.byAgent.map(({ agent }) => agent))).toEqual(new Set(["main", "scout"]));
  expect(cost.budgets[0]).toMatchObject({ limits: { usd: 1 }, spent: { usd: 0.5, tokens: 2200 }, left: 0.5 });
  expect(cost.budgets.slice(1).map(({ agent, left }) => [agent, left])).toEqual([
    ["main", 0.5],
    ["scout", 0.5],
  ]);
});

test("two spans are compared by asking for each", async () => {
  const views = await ConsoleViews.open();
  await ask(views.app, "main");
  const now = Date.now();
  const span = (since: number, until: number) =>
    views.ask("GET /cost/span", { query: { since: String(since), until: String(until) } });
  expect(await span(now - 60_000, now + 60_000)).toMatchObject({ total: { calls: 1 } });
  expect(await span(now - 120_000, now - 60_000)).toMatchObject({ total: { calls: 0 }, byModel: [] });
  await expect(span(now, now)).rejects.toMatchObject({ code: "CONSOLE_INPUT" });
});

test.for([{ days: "0" }, { days: "all" }, { days: "3651" }])("GET /cost refuses %j", async (query) => {
  const views = await ConsoleViews.open();
  await expect(views.ask("GET /cost", { query })).rejects.toMatchObject({ code: "CONSOLE_INPUT" });
});

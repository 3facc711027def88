import { describe, expect, test } from "vitest";
import { openStore } from "../../app/store/index.ts";
import { type ChatUsage, type ModelPrices, toModelPrices } from "../../model/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import {
  type Budgets,
  createUsageMeter,
  type MeteredCall,
  type MeteredRequest,
  type UsageMeter,
} from "./usage-meter.ts";

const scope = "local";
const prices = toModelPrices({ input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 });
const usd = (dollars: number) => dollars * 1_000_000;

function model(id = "test/scripted", given: ModelPrices | "none" = prices): MeteredRequest["model"] {
  return { id, facts: { maxOutputTokens: 8000, ...(given !== "none" && { prices: given }) } };
}

function request(part: Partial<MeteredRequest> = {}): MeteredRequest {
  return {
    scope,
    model: model(),
    purpose: "step",
    inputTokens: 10_000,
    run: { id: "r1", rootId: "r1", step: 1 },
    agentId: "main",
    ...part,
  };
}

function counted(part: Partial<ChatUsage> = {}): ChatUsage {
  return {
    inputTokens: 9000,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 500,
    reasoningTokens: 0,
    ...part,
  };
}

async function go(meter: UsageMeter, one: MeteredRequest): Promise<MeteredCall> {
  const call = await meter.before(one);
  if (call.do !== "go") throw new Error(`paused: ${call.use.scope} ${call.use.kind}`);
  return call;
}

describe("createUsageMeter()", () => {
  test("writes a request down before it is made, and counts what the answer took", async () => {
    await using store = await openStore({ path: ":memory:" });
    const meter = createUsageMeter({ usage: store.usage });
    const call = await go(meter, request());
    expect([call.maxTokens, call.near]).toEqual([8000, []]);
    expect(await store.usage.totals({ scope })).toMatchObject([{ open: 1, outputTokens: 8000 }]);
    await call.ended({ usage: counted(), stop: "end" });
    expect(await store.usage.totals({ scope, by: ["model", "agent", "purpose", "run"] })).toMatchObject([
      {
        keys: { model: "test/scripted", agent: "main", purpose: "step", run: "r1" },
        open: 0,
        costMicros: 9000 * 3 + 500 * 15,
      },
    ]);
  });

  test("counts an answer by its estimate where the provider's counts are none, and its cost by the table", async () => {
    await using store = await openStore({ path: ":memory:" });
    const meter = createUsageMeter({ usage: store.usage });
    for (const part of [{ inputTokens: -5 }, { outputTokens: Number.NaN }, { cacheReadTokens: 1e300 }]) {
      const call = await go(meter, request());
      const kept = await call.ended({ usage: counted(part), stop: "end", outputTokens: 100 });
      expect(kept).toMatchObject({ inputTokens: 10_000, outputTokens: 100, priced: "estimated" });
    }
    for (const costMicros of [-1, Number.NaN, 1e300]) {
      const call = await go(meter, request());
      const kept = await call.ended({ usage: counted({ costMicros }), stop: "end" });
      expect(kept).toMatchObject({ costMicros: 9000 * 3 + 500 * 15, priced: "table" });
    }
    expect(await store.usage.totals({ scope })).toMatchObject([{ open: 0 }]);
  });

  test("takes the prices of the model, else those that are found for its id, else says that there are none", async () => {
    await using store = await openStore({ path: ":memory:" });
    const half = toModelPrices({ input: 1, output: 1 });
    const meter = createUsageMeter({
      usage: store.usage,
      findPrices: (id) => (id === "test/found" ? half : undefined),
    });
    const costs: unknown[] = [];
    for (const one of [model(), model("test/found", "none"), model("test/free", "none")]) {
      const call = await go(meter, request({ model: one }));
      const { costMicros, priced } = await call.ended({ usage: counted(), stop: "end" });
      costs.push([costMicros, priced]);
    }
    expect(costs).toEqual([
      [34_500, "table"],
      [9500, "table"],
      [undefined, "no"],
    ]);
  });

  test("books a bound for an answer whose provider counts no tokens, and never nothing", async () => {
    await using store = await openStore({ path: ":memory:" });
    const meter = createUsageMeter({ usage: store.usage });
    const none = counted({ inputTokens: 0, outputTokens: 0 });
    const first = await (await go(meter, request())).ended({ usage: none, stop: "end", outputTokens: 200 });
    expect(first).toMatchObject({
      inputTokens: 10_000,
      outputTokens: 200,
      costMicros: 40_500,
      priced: "estimated",
    });
    const second = await (await go(meter, request())).ended({ usage: none, stop: "end" });
    expect(second).toMatchObject({ outputTokens: 8000, costMicros: 157_500, priced: "estimated" });
    const local = request({ model: model("test/free", "none") });
    const third = await (await go(meter, local)).ended({ usage: none, stop: "end", outputTokens: 200 });
    expect(third).toMatchObject({ inputTokens: 10_000, costMicros: undefined, priced: "no" });
    const said = { ...none, costMicros: 12 };
    const fourth = await (await go(meter, request())).ended({ usage: said, stop: "end" });
    expect(fourth).toMatchObject({ inputTokens: 0, costMicros: 12, priced: "provider" });
  });

  test("counts an attempt that was withdrawn and begins the next, with the model that it falls back to", async () => {
    await using store = await openStore({ path: ":memory:" });
    const cheap = toModelPrices({ input: 1, output: 1 });
    const meter = createUsageMeter({
      usage: store.usage,
      findPrices: (id) => (id === "test/backup" ? cheap : undefined),
    });
    const first = await go(meter, request());
    const second = await first.retried({ code: "MODEL_RATE_LIMIT", next: "test/scripted" });
    if (second.do !== "go") throw new Error("paused");
    const third = await second.retried({ code: "MODEL_CUT", outputTokens: 100, next: "test/backup" });
    if (third.do !== "go") throw new Error("paused");
    await third.ended({ usage: counted(), stop: "end" });
    const totals = await store.usage.totals({ scope, by: ["model"] });
    expect(totals).toMatchObject([
      { keys: { model: "test/backup" }, calls: 1, failed: 0, costMicros: 9500 },
      // Nothing for the request that was refused, all of the request for the answer that was cut.
      { keys: { model: "test/scripted" }, calls: 2, failed: 2, estimated: 1, costMicros: 37_500 + 1500 },
    ]);
    expect((await store.usage.spent({ scope, rootId: "r1" })).steps).toBe(1);
  });

  test("pauses a retry that the budget has no more room for", async () => {
    await using store = await openStore({ path: ":memory:" });
    const meter = createUsageMeter({ usage: store.usage });
    const first = await go(meter, request({ budgets: { run: { micros: usd(0.2) } } }));
    expect(first.maxTokens).toBe(8000);
    const second = await first.retried({ code: "MODEL_CUT", outputTokens: 4000, next: "test/scripted" });
    expect(second).toMatchObject({ do: "pause", why: "spent", use: { scope: "run", spent: 97_500 } });
  });

  test.for<[string, Budgets, Partial<MeteredRequest>]>([
    ["of the run's tree", { run: { micros: usd(0.2) } }, { run: { id: "r2", rootId: "r1", step: 1 } }],
    [
      "of a part of the tree",
      { part: { runIds: ["r1", "r2"], limits: { micros: usd(0.2) } } },
      { run: { id: "r2", rootId: "r1", step: 1 } },
    ],
    ["of the agent's day", { agentDay: { micros: usd(0.2) } }, { run: { id: "r9", rootId: "r9", step: 1 } }],
    [
      "of the installation's day",
      { installationDay: { micros: usd(0.2) } },
      { agentId: "other", purpose: "memory" },
    ],
  ])("keeps the budget %s", async ([, budgets, part]) => {
    await using store = await openStore({ path: ":memory:" });
    const meter = createUsageMeter({ usage: store.usage });
    await go(meter, request({ budgets }));
    expect(await meter.before(request({ ...part, budgets }))).toMatchObject({ do: "pause", why: "spent" });
    expect((await store.usage.totals({ scope }))[0]?.calls).toBe(1);
  });

  test.for<[string, Budgets, Partial<MeteredRequest>]>([
    ["another tree", { run: { micros: usd(0.2) } }, { run: { id: "r2", rootId: "r2", step: 1 } }],
    [
      "another part of the tree",
      { part: { runIds: ["r2"], limits: { micros: usd(0.2) } } },
      { run: { id: "r2", rootId: "r1", step: 1 } },
    ],
    ["another agent", { agentDay: { micros: usd(0.2) } }, { agentId: "other" }],
    ["another scope", { installationDay: { micros: usd(0.2) } }, { scope: "other" }],
  ])("does not count for a budget what was spent by %s", async ([, budgets, part]) => {
    await using store = await openStore({ path: ":memory:" });
    const meter = createUsageMeter({ usage: store.usage });
    await go(meter, request({ budgets }));
    expect((await meter.before(request({ ...part, budgets }))).do).toBe("go");
  });

  test("gives an agent a new day's budget at midnight", async () => {
    const clock = createFakeClock(Date.UTC(2026, 10, 24, 23, 59));
    await using store = await openStore({ path: ":memory:", clock });
    const zone = { toWallTime: (at: number) => at, fromWallTime: (at: number) => at };
    const meter = createUsageMeter({ usage: store.usage, clock, zone });
    const budgets = { agentDay: { micros: usd(0.2) } };
    await go(meter, request({ budgets }));
    expect((await meter.before(request({ budgets }))).do).toBe("pause");
    await clock.advance(120_000);
    expect((await meter.before(request({ budgets }))).do).toBe("go");
  });

  test("limits the minutes that a run was worked on", async () => {
    await using store = await openStore({ path: ":memory:" });
    const meter = createUsageMeter({ usage: store.usage });
    const budgets = { run: { minutes: 10 } };
    const near = await go(meter, request({ budgets, workedMs: 8 * 60_000 }));
    expect(near.near).toMatchObject([{ kind: "minutes", spent: 8 }]);
    const later = await meter.before(request({ budgets, workedMs: 10 * 60_000 }));
    expect(later).toMatchObject({ do: "pause", use: { kind: "minutes" } });
  });
});

import { describe, expect, test } from "vitest";
import { openStore } from "../../app/store/index.ts";
import {
  askJson,
  asModel,
  type ChatModel,
  chainModels,
  ModelError,
  toModelPrices,
} from "../../model/index.ts";
import { JobRunner } from "../../modules/jobs/index.ts";
import { createFakeClock, createScriptedChat } from "../../testing/index.ts";
import type { BudgetLimits } from "./budget.ts";
import { meterChat } from "./metered-chat.ts";
import { createUsageMeter } from "./usage-meter.ts";

const scope = "local";
const utc = { toWallTime: (at: number) => at, fromWallTime: (at: number) => at };
const evening = Date.UTC(2026, 10, 25, 22);
const hourMs = 3_600_000;
const facts = { maxOutputTokens: 1000, prices: toModelPrices({ input: 1, output: 1 }) };
const used = { inputTokens: 100, outputTokens: 50 };
const number = {
  system: "Count.",
  prompt: "How many?",
  schema: { type: "string" },
  maxTokens: 200,
} as const;

async function open(chat: ChatModel, day?: BudgetLimits) {
  const clock = createFakeClock(evening);
  const store = await openStore({ path: ":memory:", clock });
  const meter = createUsageMeter({ usage: store.usage, clock, zone: utc });
  const metered = meterChat(chat, {
    meter,
    clock,
    zone: utc,
    scope,
    purpose: "memory",
    ...(day !== undefined && { budgets: { installationDay: day } }),
  });
  const totals = () => store.usage.totals({ scope, by: ["model", "purpose"], zone: utc });
  return { store, clock, metered, model: asModel(metered), totals };
}

describe("meterChat()", () => {
  test("counts each request once, by its purpose: an answer, the second one to a question, another model's", async () => {
    const main = createScriptedChat(
      [
        { text: "three", usage: used },
        { text: '"3"', usage: used },
        new ModelError("MODEL_QUOTA", "used up"),
      ],
      { id: "main", facts },
    );
    const backup = createScriptedChat([{ text: '"4"', usage: used }], {
      id: "backup",
      facts: { ...facts, quota: "b" },
    });
    const { store, model, totals } = await open(chainModels([main, backup]));
    const free = { calls: 1, ...used, costMicros: undefined, unpriced: 1, open: 0 };
    const { signal } = new AbortController();
    expect(await askJson(model, { ...number, read: (answer) => answer.line(10), signal })).toBe("3");
    expect(await askJson(model, { ...number, read: (answer) => answer.line(10), signal })).toBe("4");
    expect(await totals()).toMatchObject([
      { keys: { model: "backup", purpose: "memory" }, ...free },
      {
        keys: { model: "main", purpose: "memory" },
        calls: 3,
        failed: 1,
        inputTokens: 200,
        outputTokens: 100,
        open: 0,
      },
    ]);
    await store.close();
  });

  test("counts a request that failed, and one that was not read to its end", async () => {
    const chat = createScriptedChat([new ModelError("MODEL_AUTH", "no key"), "a long answer"], {
      id: "main",
      facts,
    });
    const { store, metered, model, totals } = await open(chat);
    const { signal } = new AbortController();
    await expect(model.complete({ messages: [{ role: "user", text: "hi" }], signal })).rejects.toMatchObject({
      code: "MODEL_AUTH",
    });
    for await (const _ of metered.stream({ system: [], messages: [], tools: [], signal })) break;
    expect(await totals()).toMatchObject([{ calls: 2, failed: 2, open: 0 }]);
    await store.close();
  });

  test("does not ask what the day's budget has no room for, whole, until the next day", async () => {
    const chat = createScriptedChat(
      [
        { text: "1", usage: used },
        { text: "2", usage: used },
      ],
      { id: "main", facts },
    );
    const { store, clock, model, totals } = await open(chat, { tokens: 2100 });
    const { signal } = new AbortController();
    const request = { messages: [{ role: "user", text: "hi" }], maxTokens: 2000, signal } as const;
    expect((await model.complete(request)).text).toBe("1");
    await expect(model.complete(request)).rejects.toMatchObject({
      code: "AGENT_BUDGET",
      message: expect.stringMatching(/before 2026-11-26.*150 tokens of 2,100 tokens.*agent\.budget\.day/),
      details: { retryAfterMs: 2 * hourMs, isPostponed: true },
    });
    expect(chat.asked).toHaveLength(1);
    expect(await totals()).toMatchObject([{ calls: 1 }]);
    await clock.advance(2 * hourMs);
    expect((await model.complete(request)).text).toBe("2");
    await store.close();
  });

  test("has a job wait for the next day, however often, and is done then", async () => {
    const chat = createScriptedChat([{ text: "1", usage: used }], { id: "main", facts });
    const { store, clock, model } = await open(chat, { tokens: 100 });
    const done = Promise.withResolvers<string>();
    const request = { messages: [{ role: "user", text: "hi" }], maxTokens: 250 } as const;
    let room = false;
    const failures: unknown[] = [];
    const runner = new JobRunner({
      jobs: store.jobs,
      clock,
      handlers: {
        "memory.observe": async (_, signal) => {
          if (room) return done.resolve("done");
          await model.complete({ ...request, signal });
        },
      },
      onFailure: (failure, job) =>
        failures.push([failure.isPostponed, job?.state, job?.attempts, job?.runAt]),
    });
    runner.start();
    const { id } = await runner.enqueue({ kind: "memory.observe", scope });
    for (let day = 1; day <= 5; day++) {
      await expect.poll(() => failures.length).toBe(day);
      await clock.advance(24 * hourMs);
    }
    expect(failures.at(0)).toEqual([true, "failed", 0, evening + 2 * hourMs]);
    room = true;
    await clock.advance(24 * hourMs);
    expect(await done.promise).toBe("done");
    expect(chat.asked).toHaveLength(0);
    await runner.close();
    expect((await store.jobs.get(id))?.state).toBe("completed");
    await store.close();
  });
});

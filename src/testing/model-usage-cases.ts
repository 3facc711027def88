import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import { readZone } from "../base/index.ts";
import type { CallUsage, NewModelCall, Usage, UsageQuery } from "../modules/usage/index.ts";
import type { ContractCase } from "./contract-case.ts";

const scope = "local";

function count(part: Partial<CallUsage> = {}): CallUsage {
  return {
    inputTokens: 100,
    cacheReadTokens: 60,
    cacheWriteTokens: 20,
    outputTokens: 10,
    reasoningTokens: 4,
    costMicros: 500,
    priced: "table",
    ...part,
  };
}

const reserved = count({ outputTokens: 1000, reasoningTokens: 0, costMicros: 9000, priced: "estimated" });
const unpriced = count({ costMicros: undefined, priced: "no" });

function call(part: Partial<NewModelCall> = {}): NewModelCall {
  return { scope, model: "test/scripted", purpose: "step", reserved, ...part };
}

function step(runId: string, number: number, rootId = runId): NewModelCall {
  return call({ run: { id: runId, rootId, step: number }, agentId: "main" });
}

/** Begins and ends a call. */
async function make(usage: Usage, one: NewModelCall, counted = count()): Promise<void> {
  const id = await usage.begin(one);
  strictEqual(await usage.end(one.scope, id, { usage: counted, stop: "end" }), true);
}

async function total(usage: Usage, part: Partial<UsageQuery> = {}) {
  const [all, ...more] = await usage.totals({ scope, ...part });
  ok(all !== undefined && more.length === 0);
  return all;
}

/** What every implementation of {@link Usage} keeps, by the clock of the machine. */
export const modelUsageCases: readonly ContractCase<Usage>[] = [
  {
    name: "begin() counts a call as the most that it may take, and end() as what it took",
    async run(usage) {
      const before = await total(usage);
      deepStrictEqual([before.calls, before.costMicros], [0, 0]);
      const id = await usage.begin(call());
      const open = await total(usage);
      deepStrictEqual(
        [open.calls, open.open, open.estimated, open.outputTokens, open.costMicros, open.ms],
        [1, 1, 1, 1000, 9000, 0],
      );
      strictEqual(await usage.end(scope, id, { usage: count(), stop: "end" }), true);
      const { ms, ...ended } = await total(usage);
      ok(ms >= 0);
      deepStrictEqual(ended, {
        keys: {},
        calls: 1,
        failed: 0,
        open: 0,
        unpriced: 0,
        estimated: 0,
        inputTokens: 100,
        cacheReadTokens: 60,
        cacheWriteTokens: 20,
        outputTokens: 10,
        reasoningTokens: 4,
        costMicros: 500,
      });
    },
  },
  {
    name: "end() changes nothing of a call that has ended, of another scope, or that never was",
    async run(usage) {
      const id = await usage.begin(call());
      strictEqual(await usage.end("other", id, { usage: count() }), false);
      await usage.end(scope, id, { usage: count() });
      strictEqual(await usage.end(scope, id, { usage: count({ costMicros: 1 }) }), false);
      strictEqual(await usage.end(scope, "mc_none", { usage: count() }), false);
      strictEqual((await total(usage)).costMicros, 500);
    },
  },
  {
    name: "end() keeps what went wrong, and which model answered in the end",
    async run(usage) {
      const id = await usage.begin(call());
      await usage.end(scope, id, { usage: count(), error: "MODEL_CUT", model: "test/other" });
      const [only] = await usage.totals({ scope, by: ["model"] });
      deepStrictEqual([only?.keys, only?.calls, only?.failed], [{ model: "test/other" }, 1, 1]);
    },
  },
  {
    name: "begin() and end() refuse counts that are no whole numbers from 0, and a cost without a price",
    async run(usage) {
      const wrong = [
        count({ inputTokens: 0.5 }),
        count({ outputTokens: -1 }),
        count({ costMicros: Number.NaN }),
        count({ costMicros: undefined }),
        count({ priced: "no" }),
      ];
      const id = await usage.begin(call());
      for (const one of wrong) {
        await rejects(usage.begin(call({ reserved: one })), RangeError);
        await rejects(usage.end(scope, id, { usage: one }), RangeError);
      }
      deepStrictEqual(
        [await usage.end(scope, id, { usage: count() }), (await total(usage)).calls],
        [true, 1],
      );
    },
  },
  {
    name: "totals() says of calls without a price how many there are, and of none but these no cost",
    async run(usage) {
      await make(usage, call({ model: "test/free" }), unpriced);
      const alone = await total(usage);
      deepStrictEqual([alone.costMicros, alone.unpriced, alone.inputTokens], [undefined, 1, 100]);
      await make(usage, call());
      await make(usage, call(), count({ costMicros: 7, priced: "provider" }));
      const all = await total(usage);
      deepStrictEqual([all.costMicros, all.unpriced, all.calls], [507, 1, 3]);
    },
  },
  {
    name: "totals() tells calls apart by each key, and those add up to the whole",
    async run(usage) {
      await make(usage, { ...step("r1", 1), source: "terminal", project: "/a" });
      await make(usage, { ...step("r2", 1, "r1"), model: "test/other" });
      await make(usage, call({ purpose: "memory" }));
      const read = async (key: "model" | "agent" | "purpose" | "source" | "run" | "project") =>
        (await usage.totals({ scope, by: [key] })).map(({ keys, calls }) => [keys[key], calls]);
      deepStrictEqual(await read("model"), [
        ["test/other", 1],
        ["test/scripted", 2],
      ]);
      deepStrictEqual(await read("agent"), [
        ["main", 2],
        [null, 1],
      ]);
      deepStrictEqual(await read("purpose"), [
        ["memory", 1],
        ["step", 2],
      ]);
      deepStrictEqual(await read("source"), [
        ["memory", 1],
        ["step", 1],
        ["terminal", 1],
      ]);
      deepStrictEqual(await read("run"), [
        ["r1", 2],
        [null, 1],
      ]);
      deepStrictEqual(await read("project"), [
        ["/a", 1],
        [null, 2],
      ]);
      const pairs = await usage.totals({ scope, by: ["purpose", "model"] });
      deepStrictEqual(
        pairs.map(({ keys }) => [keys.purpose, keys.model]),
        [
          ["memory", "test/scripted"],
          ["step", "test/other"],
          ["step", "test/scripted"],
        ],
      );
      const sum = pairs.reduce((all, { costMicros = 0 }) => all + costMicros, 0);
      strictEqual(sum, (await total(usage)).costMicros);
      deepStrictEqual(await usage.totals({ scope: "other", by: ["model"] }), []);
    },
  },
  {
    name: "totals() tells days apart as clocks in a zone do",
    async run(usage) {
      const before = Date.now();
      await make(usage, call());
      const days = await Promise.all(
        ["Pacific/Kiritimati", "Asia/Kathmandu", "Pacific/Pago_Pago"].map(async (name) => {
          const zone = readZone(name);
          const [only] = await usage.totals({ scope, by: ["day"], zone });
          const dated = (at: number) => new Date(zone.toWallTime(at)).toISOString().slice(0, 10);
          ok(only?.keys.day === dated(before) || only?.keys.day === dated(Date.now()));
          return only.keys.day;
        }),
      );
      // The earliest and the latest time zone are 26 hours apart, so the dates may differ by one day.
      notStrictEqual(days[0], days[2]);
    },
  },
  {
    name: "totals() counts the calls of a query alone: a time, a model, an agent, a source, a project, a run",
    async run(usage) {
      const since = Date.now();
      await make(usage, { ...step("r1", 1), source: "terminal", project: "/a" });
      await make(usage, { ...step("r2", 1, "r1"), model: "test/other", agentId: "helper" });
      await make(usage, step("r3", 1));
      const calls = async (part: Partial<UsageQuery>) => (await total(usage, part)).calls;
      const counted = [
        await calls({ since }),
        await calls({ since: Date.now() + 60_000 }),
        await calls({ until: since }),
        await calls({ until: Date.now() + 60_000 }),
        await calls({ model: "test/other" }),
        await calls({ agentId: "helper" }),
        await calls({ source: "terminal" }),
        await calls({ project: "/a" }),
        await calls({ runId: "r1" }),
        await calls({ runId: "r2" }),
        await calls({ runId: "r4" }),
      ];
      deepStrictEqual(counted, [3, 0, 0, 3, 1, 1, 1, 1, 2, 1, 0]);
    },
  },
  {
    name: "spent() counts a tree of runs, some runs of it, or all since a time, with what is reserved for calls under way",
    async run(usage) {
      const since = Date.now();
      await make(usage, step("r1", 1));
      await make(usage, step("r2", 1, "r1"));
      await usage.begin({ ...step("r2", 2, "r1"), agentId: "helper" });
      await make(usage, step("r3", 1));
      const cost = async (
        part: { rootId: string; runIds?: string[] } | { since: number; agentId?: string },
      ) => (await usage.spent({ scope, ...part })).costMicros;
      deepStrictEqual(
        [
          await cost({ rootId: "r1" }),
          await cost({ rootId: "r1", runIds: ["r2"] }),
          await cost({ rootId: "r1", runIds: [] }),
          await cost({ rootId: "r2" }),
          await cost({ since }),
          await cost({ since, agentId: "main" }),
          await cost({ since, agentId: "helper" }),
          await cost({ since: Date.now() + 60_000 }),
        ],
        [10_000, 9500, 0, 0, 10_500, 1500, 9000, 0],
      );
      const { tokens, steps } = await usage.spent({ scope, rootId: "r1" });
      deepStrictEqual([tokens, steps], [110 + 110 + 1100, 3]);
    },
  },
  {
    name: "spent() counts an answer that was asked for again as one step, and what is no answer as none",
    async run(usage) {
      const failed = await usage.begin(step("r1", 1));
      await usage.end(scope, failed, { usage: count(), error: "MODEL_CUT" });
      strictEqual((await usage.spent({ scope, rootId: "r1" })).steps, 0);
      await make(usage, step("r1", 1));
      await make(usage, { ...step("r1", 1), purpose: "compact" });
      await make(usage, { ...step("r11", 1, "r1") });
      const { steps, costMicros } = await usage.spent({ scope, rootId: "r1" });
      deepStrictEqual([steps, costMicros], [2, 2000]);
    },
  },
  {
    name: "spent() names the models whose cost is not known, once their calls have ended",
    async run(usage) {
      const free = { ...step("r1", 1), model: "test/free", reserved: unpriced };
      const id = await usage.begin(free);
      deepStrictEqual((await usage.spent({ scope, rootId: "r1" })).unpricedModels, []);
      await usage.end(scope, id, { usage: unpriced });
      await make(usage, free, count({ priced: "provider" }));
      await make(usage, free, unpriced);
      const { unpricedModels, costMicros } = await usage.spent({ scope, rootId: "r1" });
      deepStrictEqual([unpricedModels, costMicros], [["test/free"], 500]);
    },
  },
  {
    name: "beginWithin() lets many at once begin no more than what was spent allows",
    async run(usage) {
      const limit = 5 * 9000;
      const query = { scope, rootId: "r1" };
      const begun = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          usage.beginWithin([query], ([spent]) =>
            (spent?.costMicros ?? 0) + 9000 > limit ? undefined : step(`r${at}`, 1, "r1"),
          ),
        ),
      );
      strictEqual(begun.filter((id) => id !== undefined).length, 5);
      const { costMicros, steps } = await usage.spent(query);
      deepStrictEqual([costMicros, steps], [limit, 5]);
    },
  },
  {
    name: "beginWithin() begins nothing where the choice throws",
    async run(usage) {
      await rejects(
        usage.beginWithin([], () => {
          throw new Error("no");
        }),
        /no/,
      );
      strictEqual((await total(usage)).calls, 0);
    },
  },
  {
    name: "recover() leaves the calls of a process that lives alone",
    async run(usage) {
      const id = await usage.begin(call());
      strictEqual(await usage.recover(), 0);
      strictEqual(await usage.end(scope, id, { usage: count() }), true);
    },
  },
  {
    name: "steps() lists the answers of sessions, the newest first, and nothing else",
    async run(usage) {
      const first = { ...step("r1", 1), sessionId: "s1" };
      await make(usage, first, count({ cacheReadTokens: 0 }));
      await make(usage, { ...step("r1", 2), sessionId: "s1" });
      await make(usage, step("r2", 1));
      await make(usage, call({ purpose: "compact", sessionId: "s1" }));
      await usage.begin(first);
      const steps = await usage.steps({ scope, since: 0 });
      deepStrictEqual(
        new Set(steps.map(({ sessionId, cacheReadTokens }) => `${sessionId} ${cacheReadTokens}`)),
        new Set(["s1 0", "s1 60"]),
      );
      strictEqual(steps.length, 2);
      ok((steps[0]?.at ?? 0) >= (steps[1]?.at ?? 0));
      deepStrictEqual(await usage.steps({ scope, since: Date.now() + 100_000 }), []);
      strictEqual((await usage.steps({ scope, since: 0, limit: 1 })).length, 1);
    },
  },
];

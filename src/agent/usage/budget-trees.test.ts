import { expect, test } from "vitest";
import { openStore } from "../../app/store/index.ts";
import { type ChatUsage, type ModelPrices, priceCall, toModelPrices } from "../../model/index.ts";
import type { CallPurpose } from "../../modules/usage/index.ts";
import { shortestAnswer } from "./budget.ts";
import { type Budgets, createUsageMeter, type MeteredRequest } from "./usage-meter.ts";

const scope = "local";
/** What requests are made for beside the steps of a run: they cost, and are no steps. */
const others = ["compact", "reflect", "memory", "judge"] as const satisfies readonly CallPurpose[];

/** Numbers from 0 up to 1 that are the same for the same seed. */
function seedRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a simulated provider bills, call by call, beside anything that is kept. */
interface Bill {
  readonly runId: string;
  readonly model: string;
  readonly costMicros: number;
  readonly tokens: number;
  readonly isAnswer: boolean;
}

interface Tree {
  readonly bills: readonly Bill[];
  readonly limits: NonNullable<Budgets["run"]>;
  /** How many requests were under way at once, at most. */
  readonly mostOpen: number;
}

/** A tree of runs that ask models of random prices until a budget stops them, some at the same time, some in vain. */
async function growTree(
  seed: number,
  store: Awaited<ReturnType<typeof openStore>>,
  { understated }: { readonly understated: boolean },
): Promise<Tree> {
  const random = seedRandom(seed);
  const pick = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  const tables = new Map<string, ModelPrices>(
    ["a/one", "b/two", "c/three"].map((id) => {
      const input = pick(1, 800) / 100;
      return [
        id,
        toModelPrices({ input, output: input * pick(1, 8), cacheRead: input / 10, cacheWrite: input * 1.25 }),
      ];
    }),
  );
  const ids = [...tables.keys()];
  const choose = () => ids[pick(0, ids.length - 1)] as string;
  const meter = createUsageMeter({ usage: store.usage, findPrices: (id) => tables.get(id) });
  const rootId = `r${seed}`;
  const limits = {
    ...(random() < 0.8 && { micros: pick(50_000, 2_000_000) }),
    ...(random() < 0.3 && { tokens: pick(20_000, 600_000) }),
    ...(random() < 0.3 && { steps: pick(2, 25) }),
  };
  const bills: Bill[] = [];
  let open = 0;
  let mostOpen = 0;

  async function ask(runId: string, step: number): Promise<boolean> {
    mostOpen = Math.max(mostOpen, ++open);
    try {
      return await askOnce(runId, step);
    } finally {
      open--;
    }
  }

  async function askOnce(runId: string, step: number): Promise<boolean> {
    const inputTokens = pick(100, 30_000);
    const asked = choose();
    const one: MeteredRequest = {
      scope,
      model: { id: asked, facts: { maxOutputTokens: pick(500, 9000) } },
      purpose: random() < 0.8 ? "step" : (others[pick(0, others.length - 1)] ?? "compact"),
      inputTokens: understated ? Math.ceil(inputTokens / 1.1) : inputTokens,
      run: { id: runId, rootId, step },
      agentId: runId,
      budgets: { run: limits },
    };
    let model = asked;
    let call = await meter.before(one);
    for (let attempt = 0; call.do === "go"; attempt++) {
      await Promise.resolve();
      expect(call.maxTokens).toBeGreaterThanOrEqual(
        Math.min(shortestAnswer, one.model.facts.maxOutputTokens),
      );
      const table = tables.get(model);
      const bill = (usage: ChatUsage, isAnswer: boolean) => {
        const costMicros = priceCall(usage, table).costMicros ?? 0;
        const tokens = usage.inputTokens + usage.outputTokens;
        bills.push({ runId, model, costMicros, tokens, isAnswer: isAnswer && one.purpose === "step" });
      };
      const outputTokens = pick(0, call.maxTokens);
      if (random() < 0.25 && attempt < 4) {
        // The provider refuses it, which costs nothing, or bills what came of it.
        const isCut = random() < 0.5;
        const came = {
          inputTokens: one.inputTokens,
          outputTokens,
          cacheReadTokens: 0,
          cacheWriteTokens: one.inputTokens,
        };
        if (isCut) bill({ ...came, reasoningTokens: 0 }, false);
        const failure = isCut ? { code: "MODEL_CUT", outputTokens } : { code: "MODEL_OVERLOADED" };
        const next = choose();
        const retried = await call.retried({ ...failure, next });
        model = next;
        call = retried;
        continue;
      }
      const cacheReadTokens = pick(0, inputTokens);
      const usage: ChatUsage = {
        inputTokens,
        cacheReadTokens,
        cacheWriteTokens: pick(0, inputTokens - cacheReadTokens),
        outputTokens,
        reasoningTokens: pick(0, outputTokens),
      };
      bill(usage, true);
      await call.ended({ usage, stop: "end" });
      return true;
    }
    return false;
  }

  async function work(runId: string, depth: number): Promise<void> {
    const children: Promise<void>[] = [];
    for (let step = 1; step <= 25 && (await ask(runId, step)); step++)
      if (depth < 2 && random() < 0.2) children.push(work(`${runId}.${step}`, depth + 1));
    await Promise.all(children);
  }

  await work(rootId, 0);
  return { bills, limits, mostOpen };
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

test("a tree of runs never spends more than its budget, and what is reported is what was billed", async () => {
  await using store = await openStore({ path: ":memory:" });
  const reached = { money: 0, tokens: 0, steps: 0 };
  const allBills: Bill[] = [];
  for (let seed = 1; seed <= 60; seed++) {
    const { bills, limits } = await growTree(seed, store, { understated: false });
    allBills.push(...bills);
    const spent = await store.usage.spent({ scope, rootId: `r${seed}` });
    const billed = sum(bills.map(({ costMicros }) => costMicros));
    const tokens = sum(bills.map((bill) => bill.tokens));
    const steps = bills.filter(({ isAnswer }) => isAnswer).length;
    expect(spent.costMicros, `money of tree ${seed}`).toBe(billed);
    expect([spent.tokens, spent.steps], `tokens and steps of tree ${seed}`).toEqual([tokens, steps]);
    if (limits.micros !== undefined) {
      expect(billed, `tree ${seed}`).toBeLessThanOrEqual(limits.micros);
      if (billed > limits.micros * 0.5) reached.money++;
    }
    if (limits.tokens !== undefined) {
      expect(tokens, `tree ${seed}`).toBeLessThanOrEqual(limits.tokens);
      if (tokens > limits.tokens * 0.5) reached.tokens++;
    }
    if (limits.steps !== undefined) {
      expect(steps, `tree ${seed}`).toBeLessThanOrEqual(limits.steps);
      if (steps === limits.steps) reached.steps++;
    }
  }
  // Otherwise the limits would not have been tried.
  expect(Math.min(...Object.values(reached)), JSON.stringify(reached)).toBeGreaterThanOrEqual(3);
  const purposes = await store.usage.totals({ scope, by: ["purpose"] });
  expect(new Set(purposes.map(({ keys }) => keys.purpose))).toEqual(new Set([...others, "step"]));
  for (const by of [[], ["model"], ["run"], ["agent", "model"], ["day", "purpose"]] as const) {
    const totals = await store.usage.totals({ scope, by });
    expect(sum(totals.map(({ costMicros = 0 }) => costMicros))).toBe(
      sum(allBills.map((bill) => bill.costMicros)),
    );
    expect(sum(totals.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens))).toBe(
      sum(allBills.map((bill) => bill.tokens)),
    );
  }
  const ofModel = (await store.usage.totals({ scope, by: ["model"] })).map(({ keys, costMicros }) => [
    keys.model,
    costMicros,
  ]);
  for (const [model, costMicros] of ofModel)
    expect(costMicros).toBe(
      sum(allBills.filter((bill) => bill.model === model).map((bill) => bill.costMicros)),
    );
});

test("a tree of runs whose requests are larger than estimated goes beyond its budget by no more than that", async () => {
  await using store = await openStore({ path: ":memory:" });
  for (let seed = 101; seed <= 115; seed++) {
    const { bills, limits, mostOpen } = await growTree(seed, store, { understated: true });
    const billed = sum(bills.map(({ costMicros }) => costMicros));
    // 10 % of the largest request at the dearest price.
    const excess = mostOpen * 0.1 * 30_000 * 10;
    if (limits.micros !== undefined)
      expect(billed, `tree ${seed}`).toBeLessThanOrEqual(limits.micros + excess);
  }
});

import { expect, test } from "vitest";
import { type ModelPrices, toModelPrices } from "../../model/index.ts";
import type { Spent } from "../../modules/usage/index.ts";
import { type Budget, type BudgetLimits, checkBudget, type PlannedRequest, reserveCost } from "./budget.ts";
import { toBudgetLimits } from "./budget-settings.ts";
import { describeNearLimit, describePause } from "./describe-budget.ts";

const prices: ModelPrices = toModelPrices({ input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 });
const nothing: Spent = { costMicros: 0, tokens: 0, steps: 0, ms: 0, unpricedModels: [] };
const usd = (dollars: number) => dollars * 1_000_000;

function budget(limits: BudgetLimits, spent: Partial<Spent> = {}, scope: Budget["scope"] = "run"): Budget {
  return { scope, limits, spent: { ...nothing, ...spent } };
}

function request(part: Partial<PlannedRequest> = {}): PlannedRequest {
  return { model: "test/scripted", prices, inputTokens: 10_000, maxTokens: 8000, isStep: true, ...part };
}

test.for<[string, readonly Budget[], Partial<PlannedRequest>, object]>([
  ["goes on where there is no budget", [], {}, { do: "go", maxTokens: 8000, near: [] }],
  ["goes on where all fits", [budget({ micros: usd(2) })], {}, { do: "go", maxTokens: 8000, near: [] }],
  [
    "shortens the answer to what is left of the money",
    // The request costs 37,500 at most, and 30,000 is left for 2,000 tokens.
    [budget({ micros: usd(1) }, { costMicros: usd(1) - 67_500 })],
    {},
    { do: "go", maxTokens: 2000 },
  ],
  [
    "pauses where fewer than 1,000 tokens are left for the answer",
    [budget({ micros: usd(1) }, { costMicros: usd(1) - 37_500 - 14_999 })],
    {},
    { do: "pause", why: "spent", use: { scope: "run", kind: "micros", limit: usd(1), spent: 947_501 } },
  ],
  [
    "goes on with exactly 1,000 tokens",
    [budget({ micros: usd(1) }, { costMicros: usd(1) - 37_500 - 15_000 })],
    {},
    { do: "go", maxTokens: 1000 },
  ],
  [
    "goes on with fewer where no more were wanted",
    [budget({ micros: usd(1) }, { costMicros: usd(1) - 37_500 - 3000 })],
    { maxTokens: 200 },
    { do: "go", maxTokens: 200 },
  ],
  [
    "pauses where an answer that can't be shortened does not fit",
    [budget({ micros: usd(1) }, { costMicros: usd(1) - 67_500 })],
    { isFixed: true },
    { do: "pause", why: "spent" },
  ],
  [
    "pauses where not even the request fits",
    [budget({ micros: 30_000 })],
    {},
    { do: "pause", use: { kind: "micros" } },
  ],
  [
    "shortens the answer to what is left of the tokens",
    [budget({ tokens: 15_000 })],
    {},
    { do: "go", maxTokens: 5000 },
  ],
  [
    "pauses where the tokens do not suffice",
    [budget({ tokens: 20_000 }, { tokens: 9500 })],
    {},
    { do: "pause", use: { kind: "tokens" } },
  ],
  ["takes the last step", [budget({ steps: 10 }, { steps: 9 })], {}, { do: "go" }],
  [
    "pauses after the last step",
    [budget({ steps: 10 }, { steps: 10 })],
    {},
    { do: "pause", use: { kind: "steps" } },
  ],
  ["sums up after the last step", [budget({ steps: 10 }, { steps: 10 })], { isStep: false }, { do: "go" }],
  [
    "pauses after the last minute",
    [budget({ minutes: 5 }, { ms: 300_000 })],
    {},
    { do: "pause", use: { kind: "minutes", limit: 5, spent: 5 } },
  ],
  [
    "keeps to the tightest of several budgets",
    [
      budget({ micros: usd(2) }),
      budget({ tokens: 13_000 }, {}, "installation-day"),
      budget({ tokens: 14_000 }),
    ],
    {},
    { do: "go", maxTokens: 3000 },
  ],
  [
    "names the budget that is spent",
    [budget({ micros: usd(2) }), budget({ micros: usd(1) }, { costMicros: usd(1) }, "agent-day")],
    {},
    { do: "pause", use: { scope: "agent-day" } },
  ],
  [
    "tells of limits of which 80 % is spent",
    [
      budget(
        { micros: usd(2), tokens: 1_000_000, steps: 10 },
        { costMicros: usd(1.6), tokens: 799_999, steps: 9 },
      ),
    ],
    {},
    { do: "go", near: [{ kind: "micros" }, { kind: "steps" }] },
  ],
  [
    "lets a model of unknown price say what it costs, once",
    [budget({ micros: usd(1) }, { unpricedModels: ["test/other"] })],
    { prices: undefined },
    { do: "go", maxTokens: 8000 },
  ],
  [
    "pauses where a model of unknown price did not say what it costs",
    [budget({ micros: usd(1) }, { unpricedModels: ["test/scripted"] })],
    { prices: undefined },
    { do: "pause", why: "unpriced", use: { kind: "micros" } },
  ],
  [
    "pauses a model of unknown price once the money is spent",
    [budget({ micros: usd(1) }, { costMicros: usd(1) })],
    { prices: undefined },
    { do: "pause", why: "spent" },
  ],
  [
    "keeps a model of unknown price to limits that need none",
    [budget({ tokens: 15_000 }, { unpricedModels: ["test/scripted"] })],
    { prices: undefined },
    { do: "go", maxTokens: 5000 },
  ],
  [
    "lets a model that costs nothing go on",
    [budget({ micros: 0 })],
    { prices: toModelPrices({ input: 0, output: 0 }) },
    { do: "go", maxTokens: 8000 },
  ],
])("checkBudget() %s", ([, budgets, part, expected]) => {
  expect(checkBudget(budgets, request(part))).toMatchObject(expected);
});

test("reserveCost() takes the whole request as tokens of the dearest kind", () => {
  expect(reserveCost(1000, 100, prices)).toBe(3750 + 1500);
});

test("describeNearLimit() and describePause() say what is spent of which budget", () => {
  const use = { scope: "run", kind: "micros", limit: usd(2), spent: usd(1.68) } as const;
  expect(describeNearLimit(use)).toBe("84 % of the budget of this run is spent: $1.68 of $2.00.");
  expect(describeNearLimit({ scope: "agent-day", kind: "tokens", limit: 20_000, spent: 18_000 })).toBe(
    "90 % of the budget of this agent for today is spent: 18,000 tokens of 20,000 tokens.",
  );
  expect(describePause({ do: "pause", why: "spent", use })).toBe(
    "What is left of the budget of this run does not suffice for another answer: $1.68 of $2.00 are spent.",
  );
  expect(describePause({ do: "pause", why: "unpriced", use })).toMatch(
    /^Nobody knows what this model costs, so the budget of this run of \$2\.00 can't be kept\. Give its prices/,
  );
});

test("toBudgetLimits() takes dollars as whole micro-USD, and leaves out what has no limit", () => {
  expect(toBudgetLimits({ usd: 0.1 + 0.2, steps: 50 })).toEqual({ micros: 300_000, steps: 50 });
  expect(toBudgetLimits({ usd: 0, tokens: 1, minutes: 0.5 })).toEqual({ micros: 0, tokens: 1, minutes: 0.5 });
  expect(toBudgetLimits({})).toEqual({});
});

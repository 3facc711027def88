import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CatalogueTokens,
  chooseExposure,
  type Exposure,
  exposures,
  usualInteraction,
} from "./choose-exposure.ts";
import { cacheTerms, simulateInteraction } from "./prompt-cost.ts";
import { budgetFor, defaultToolBudget } from "./tool-budget.ts";

const many: CatalogueTokens = {
  all: 60_000,
  core: 3000,
  index: 5000,
  search: 800,
  loaded: 250,
  answer: 600,
};

/** A catalogue whose parts go together: the core is among all. */
const catalogues = fc
  .record({
    core: fc.nat(6000),
    others: fc.nat(200_000),
    index: fc.nat(20_000),
    search: fc.nat(2000),
    loaded: fc.nat(1000),
    answer: fc.nat(3000),
  })
  .map(({ others, ...tokens }) => ({ ...tokens, all: tokens.core + others }));

function chooseCost(exposure: Exposure, ...args: Parameters<typeof chooseExposure>) {
  const found = chooseExposure(...args).costs[exposures.indexOf(exposure)];
  if (found?.exposure !== exposure) throw new Error(`no cost of ${exposure}`);
  return found;
}

describe("chooseExposure()", () => {
  test("shows all definitions as long as they fit the budget, and never beyond it where less can be shown", () => {
    fc.assert(
      fc.property(catalogues, fc.nat(100_000), (tokens, budget) => {
        const { exposure, costs } = chooseExposure(tokens, { budget });
        if (tokens.all <= budget) expect(exposure).toBe("inline");
        else if (costs.some(({ definitions }) => definitions < tokens.all))
          expect(exposure).not.toBe("inline");
      }),
    );
  });

  test("chooses what fits the budget where anything does", () => {
    fc.assert(
      fc.property(catalogues, fc.nat(100_000), (tokens, budget) => {
        const { exposure, costs } = chooseExposure(tokens, { budget });
        const chosen = costs.find((cost) => cost.exposure === exposure);
        const smaller = costs.filter((cost) => cost.fits && cost.definitions < tokens.all);
        if (smaller.length > 0) expect(chosen?.fits).toBe(true);
      }),
    );
  });

  test("hides nothing where that would not make a request smaller", () => {
    expect(chooseExposure({ ...many, all: 12_000, core: 12_000 })).toMatchObject({
      exposure: "inline",
      reason: "leaving definitions out would save nothing",
    });
  });

  test("takes the least of a request where even the core passes the budget", () => {
    expect(chooseExposure(many, { budget: 1000 })).toMatchObject({ exposure: "search", budget: 1000 });
  });

  test("finds a search cheaper than an index of a large catalogue, and an index than a search with long answers", () => {
    expect(chooseExposure(many).exposure).toBe("search");
    expect(chooseExposure({ ...many, index: 100, answer: 20_000 }).exposure).toBe("index");
  });

  test("costs no less inline for more tools", () => {
    fc.assert(
      fc.property(
        catalogues,
        fc.nat(50_000),
        fc.constantFrom(...Object.values(cacheTerms)),
        (tokens, more, cache) => {
          const shape = { otherTokens: cache.leastTokens };
          const before = chooseCost("inline", tokens, { cache, shape });
          const after = chooseCost("inline", { ...tokens, all: tokens.all + more }, { cache, shape });
          expect(after.cost).toBeGreaterThanOrEqual(before.cost);
          expect(after.tokens - before.tokens).toBe(more * usualInteraction.requests);
        },
      ),
    );
  });

  test("counts pinned tools in every way of showing", () => {
    for (const exposure of exposures) {
      const pinned = { ...many, core: many.core + 500, all: many.all + 500 };
      expect(chooseCost(exposure, pinned).definitions).toBe(chooseCost(exposure, many).definitions + 500);
    }
  });

  test("makes a list that changes dearer the more stands behind it, and one that stays the same hardly", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: cacheTerms.mcp.leastTokens, max: 50_000 }),
        fc.integer({ min: 1, max: 50_000 }),
        (other, more) => {
          const cost = (exposure: Exposure, otherTokens: number) =>
            chooseCost(exposure, many, { shape: { otherTokens } }).cost;
          const { read, write } = cacheTerms.mcp;
          const changes = usualInteraction.toolsUsed;
          const grown = cost("index", other + more) - cost("index", other);
          // Each of the loads is a request more that reads it, and one that has to write it anew in place of reading.
          expect(grown).toBeCloseTo(more * changes * write, 3);
          expect(cost("search", other + more) - cost("search", other)).toBeCloseTo(more * changes * read, 3);
        },
      ),
    );
  });

  test("without a cache a list that changes costs no more than one that does not", () => {
    const cache = { write: 1, read: 1, leastTokens: 0, output: 1 };
    const same = { ...many, index: 800, answer: 40, loaded: 0 };
    expect(chooseCost("index", same, { cache }).cost).toBeCloseTo(
      chooseCost("search", same, { cache }).cost,
      6,
    );
  });

  test("searches once for each tool that is used, and never more often than there are requests", () => {
    expect(chooseCost("search", many, { shape: { toolsUsed: 0 } }).extraRequests).toBe(0);
    expect(chooseCost("search", many, { shape: { toolsUsed: 4 } }).extraRequests).toBe(4);
    expect(chooseCost("search", many, { shape: { toolsUsed: 40, requests: 6 } }).extraRequests).toBe(6);
    expect(chooseCost("inline", many).extraRequests).toBe(0);
  });
});

describe("simulateInteraction()", () => {
  const terms = { write: 1.25, read: 0.1, leastTokens: 1024, output: 5 };
  const turn = (definitions: number, finds = false) => ({ definitions, added: 100, finds });
  const behind = { otherTokens: 1000, callTokens: 50 };

  test("writes the first prompt, then reads what stayed and writes what is new", () => {
    const { tokens, cost } = simulateInteraction([turn(2000), turn(2000)], behind, terms);
    expect(tokens).toBe(3000 + 3100);
    expect(cost).toBeCloseTo(3000 * 1.25 + 3000 * 0.1 + 100 * 1.25, 6);
  });

  test("reads only the beginning of a list that grew", () => {
    const { cost } = simulateInteraction([turn(2000, true), turn(2200)], behind, terms);
    expect(cost).toBeCloseTo(3000 * 1.25 + 50 * 5 + 2000 * 0.1 + 1300 * 1.25, 6);
  });

  test("caches nothing shorter than the provider does: a longer list can then be the cheaper one", () => {
    const small = simulateInteraction([turn(10), turn(10), turn(10)], { ...behind, otherTokens: 700 }, terms);
    expect(small.cost).toBe(710 + 810 + 910);
    const ten = (definitions: number) =>
      simulateInteraction(
        Array.from({ length: 10 }, () => ({ ...turn(definitions), added: 0 })),
        { ...behind, otherTokens: 700 },
        terms,
      ).cost;
    expect(ten(400)).toBeLessThan(ten(300));
  });
});

describe("budgetFor()", () => {
  test("is one number for all, or that of the longest name that fits", () => {
    expect(budgetFor(undefined, ["anthropic"])).toBe(defaultToolBudget);
    expect(budgetFor(4000, ["anthropic"])).toBe(4000);
    const budgets = { "*": 5000, anthropic: 8000, "claude-haiku*": 2000, "claude-*": 9000 };
    expect(budgetFor(budgets, ["claude-haiku-4-5", "anthropic"])).toBe(2000);
    expect(budgetFor(budgets, ["claude-opus-5", "anthropic"])).toBe(8000);
    expect(budgetFor(budgets, ["gpt-5", "openai"])).toBe(5000);
    expect(budgetFor({ gemini: 100 }, ["gpt-5", "openai"])).toBe(defaultToolBudget);
  });
});

import { expect, test } from "vitest";
import type { ChatUsage, ModelPrices } from "./chat-model.ts";
import known from "./prices.json" with { type: "json" };
import { findPrices, priceCall, toModelPrices } from "./prices.ts";

const prices: ModelPrices = toModelPrices({ input: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15 });

function usage(part: Partial<ChatUsage> = {}): ChatUsage {
  return {
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    ...part,
  };
}

test("priceCall() counts what a cache served or took as a part of the input, and thoughts as a part of the output", () => {
  const counted = usage({
    inputTokens: 10_000,
    cacheReadTokens: 7000,
    cacheWriteTokens: 2000,
    outputTokens: 1000,
    reasoningTokens: 800,
  });
  // 1,000 at 3, 7,000 at 0.3, 2,000 at 3.75, 1,000 at 15 micro-USD a token.
  expect(priceCall(counted, prices)).toEqual({ costMicros: 3000 + 2100 + 7500 + 15_000, priced: "table" });
  const fresh = usage({ inputTokens: 10_000, outputTokens: 1000 });
  expect(priceCall(fresh, prices).costMicros).toBe(45_000);
  expect(priceCall({ ...fresh, reasoningTokens: 1000 }, prices).costMicros).toBe(45_000);
});

test("priceCall() of a whole is what its kinds of tokens cost apart, whatever the counts", () => {
  const counts = [0, 1, 999, 123_456];
  for (const fresh of counts)
    for (const read of counts)
      for (const written of counts)
        for (const output of counts) {
          if (fresh + read + written + output === 0) continue;
          const whole = usage({
            inputTokens: fresh + read + written,
            cacheReadTokens: read,
            cacheWriteTokens: written,
            outputTokens: output,
            reasoningTokens: Math.floor(output / 2),
          });
          const exact = fresh * 3 + read * 0.3 + written * 3.75 + output * 15;
          const { costMicros = Number.NaN } = priceCall(whole, prices);
          expect(Math.abs(costMicros - exact)).toBeLessThanOrEqual(1);
          expect(Number.isInteger(costMicros)).toBe(true);
        }
});

test("priceCall() takes parts that are more than the whole as the whole", () => {
  const odd = usage({ inputTokens: 100, cacheReadTokens: 90, cacheWriteTokens: 90 });
  expect(priceCall(odd, prices).costMicros).toBe(Math.ceil(90 * 0.3 + 10 * 3.75));
});

test("priceCall() takes what the provider says, whatever the table says", () => {
  const said = usage({ inputTokens: 10_000, costMicros: 12.4 });
  expect(priceCall(said, prices)).toEqual({ costMicros: 13, priced: "provider" });
  expect(priceCall({ ...said, costMicros: 0 }, undefined)).toEqual({ costMicros: 0, priced: "provider" });
});

test("priceCall() says of an unknown price, and of tokens that nobody counted, that the cost is not known", () => {
  expect(priceCall(usage({ inputTokens: 1 }), undefined)).toEqual({ costMicros: undefined, priced: "no" });
  expect(priceCall(usage({ outputTokens: 1 }), undefined).costMicros).toBe(undefined);
  expect(priceCall(usage(), prices)).toEqual({ costMicros: undefined, priced: "no" });
  expect(priceCall(usage({ costMicros: 0 }), prices)).toEqual({ costMicros: 0, priced: "provider" });
});

test("priceCall() rounds up, so that what a call costs is never less than its price", () => {
  expect(priceCall(usage({ inputTokens: 1, cacheReadTokens: 1 }), prices).costMicros).toBe(1);
});

test("toModelPrices() takes USD for a million tokens, and the price of input for a cache that has none", () => {
  expect(toModelPrices({ input: 0.15, output: 0.6, cacheRead: 0.075 })).toEqual({
    input: 150_000,
    cacheRead: 75_000,
    cacheWrite: 150_000,
    output: 600_000,
  });
});

test("findPrices() knows a well-known model of its own provider, dated or not, and no other", () => {
  const haiku = { input: 1_000_000, cacheRead: 100_000, cacheWrite: 1_250_000, output: 5_000_000 };
  expect(findPrices("anthropic/claude-haiku-4-5")).toEqual(haiku);
  expect(findPrices("anthropic/claude-haiku-4-5-20251001")).toEqual(haiku);
  for (const id of [
    "openai-compatible/gpt-4o",
    "openai/gpt-4o-2024-05-13",
    "openrouter/openai/gpt-4o",
    "anthropic/claude-haiku-4",
    "anthropic/constructor",
    "toString/x",
    "gpt-4o",
    "",
  ])
    expect(findPrices(id)).toBe(undefined);
});

test("prices.json has a dated source for every model, caches that are read for less, and answers that cost more", () => {
  for (const { source, date, models } of Object.values(known)) {
    expect(source).toMatch(/^https:\/\//);
    expect(date).toMatch(/^20\d\d-\d\d-\d\d$/);
    for (const { input, cacheRead, cacheWrite, output } of Object.values(models)) {
      expect(cacheRead).toBeLessThan(input);
      expect(cacheWrite).toBeGreaterThanOrEqual(input);
      expect(output).toBeGreaterThan(input);
    }
  }
});

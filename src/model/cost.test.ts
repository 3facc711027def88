import { expect, test } from "vitest";
import { findCost } from "./cost.ts";

const prices = { input: 3_000_000, cacheRead: 300_000, cacheWrite: 3_750_000, output: 15_000_000 };
const usage = {
  inputTokens: 1000,
  cacheReadTokens: 600,
  cacheWriteTokens: 200,
  outputTokens: 100,
  reasoningTokens: 50,
};

test("findCost() counts each token once, at its price: thoughts are in the answer, the cache in the request", () => {
  expect(findCost(usage, prices)).toBe(200 * 3 + 600 * 0.3 + 200 * 3.75 + 100 * 15);
});

test("findCost() takes what the provider says, and knows of no cost where nothing tells it", () => {
  expect(findCost({ ...usage, costMicros: 7 }, prices)).toBe(7);
  expect(findCost({ ...usage, costMicros: 0 }, undefined)).toBe(0);
  expect(findCost(usage, undefined)).toBeUndefined();
  expect(findCost({ ...usage, inputTokens: 0, outputTokens: 0 }, prices)).toBeUndefined();
});

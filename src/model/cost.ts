import type { ChatUsage, ModelPrices } from "./chat-model.ts";

/**
 * The cost of a request in micro-USD: as its provider reports it, or from its tokens and prices. Undefined, and not 0,
 * if neither is known: there are no prices, or the provider counts no tokens.
 *
 * @example
 * ```ts
 * const prices = { input: 3_000_000, cacheRead: 300_000, cacheWrite: 3_750_000, output: 15_000_000 };
 * const none = { cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
 * findCost({ ...none, inputTokens: 1_000, cacheReadTokens: 800, outputTokens: 10 }, prices); // → 990
 * findCost({ ...none, inputTokens: 1_000, outputTokens: 10 }, undefined); // → undefined
 * ```
 */
export function findCost(usage: ChatUsage, prices: ModelPrices | undefined): number | undefined {
  if (usage.costMicros !== undefined) return usage.costMicros;
  if (prices === undefined) return undefined;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  if (inputTokens + outputTokens === 0) return undefined;
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
  const cost =
    fresh * prices.input +
    cacheReadTokens * prices.cacheRead +
    cacheWriteTokens * prices.cacheWrite +
    outputTokens * prices.output;
  return Math.round(cost / 1_000_000);
}

import type { ChatUsage, ModelPrices } from "./chat-model.ts";

/**
 * What a request cost, in micro-USD: what its provider says, or else what the prices make of its tokens. Undefined where
 * neither is known, which is not the same as nothing: no prices, or a provider that counts no tokens.
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

import type { ChatUsage } from "./chat-model.ts";

/** More tokens, and a higher cost (a million USD), no request has. */
const mostTokens = 1_000_000_000;
const mostMicros = 1_000_000_000_000;

/**
 * What a provider says that a request took, without what can't be: its tokens count as not counted where any of them is
 * no whole number from 0, and its cost as unknown.
 */
export function toSoundUsage({ costMicros, ...counts }: ChatUsage): ChatUsage {
  const isCounted = Object.values(counts).every(
    (count) => Number.isInteger(count) && count >= 0 && count <= mostTokens,
  );
  const sound = isCounted
    ? counts
    : { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  const isPriced = costMicros !== undefined && costMicros >= 0 && costMicros <= mostMicros;
  return isPriced ? { ...sound, costMicros } : sound;
}

import type { TokenCounts, UsageKey, UsageTotal } from "../store/usage.ts";

/** Totals as a model is shown them. Total tokens are input and output; the other counts are parts of these. */
export interface ShownTotal extends TokenCounts {
  readonly messages: number;
  readonly tokens: number;
  /** Null: nobody knows. */
  readonly costUsd: number | null;
  /** Requests whose cost is not known, and not in `costUsd`. */
  readonly unpriced?: number;
  /** Requests of which only a bound is known. */
  readonly estimated?: number;
}

export function showTotal(total: UsageTotal): ShownTotal {
  const { calls, costMicros, unpriced, estimated, inputTokens, outputTokens } = total;
  return {
    messages: calls,
    tokens: inputTokens + outputTokens,
    inputTokens,
    outputTokens,
    cacheReadTokens: total.cacheReadTokens,
    cacheWriteTokens: total.cacheWriteTokens,
    reasoningTokens: total.reasoningTokens,
    costUsd: costMicros === undefined ? null : costMicros / 1_000_000,
    ...(unpriced > 0 && { unpriced }),
    ...(estimated > 0 && { estimated }),
  };
}

/** Totals in the order of their key, each with its value. */
export function showTotals<Key extends UsageKey>(
  totals: readonly UsageTotal[],
  key: Key,
): readonly (Readonly<Partial<Record<Key, string | null>>> & ShownTotal)[] {
  return totals.map((total) => ({
    ...({ [key]: total.keys[key] ?? null } as Readonly<Partial<Record<Key, string | null>>>),
    ...showTotal(total),
  }));
}

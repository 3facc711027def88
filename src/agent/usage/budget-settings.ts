import type { BudgetLimits } from "./budget.ts";

/** A budget as people write it in the configuration, in an agent's file or for one run. */
export interface BudgetSettings {
  readonly usd?: number;
  readonly tokens?: number;
  readonly steps?: number;
  readonly minutes?: number;
}

/** Limits from what people wrote. */
export function toBudgetLimits({ usd, tokens, steps, minutes }: BudgetSettings): BudgetLimits {
  return {
    ...(usd !== undefined && { micros: Math.round(usd * 1_000_000) }),
    ...(tokens !== undefined && { tokens }),
    ...(steps !== undefined && { steps }),
    ...(minutes !== undefined && { minutes }),
  };
}

import type { BudgetLimits } from "./budget.ts";

/** A budget as it is written in the configuration, in an agent's file or for one run. */
export interface BudgetSettings {
  readonly usd?: number;
  readonly tokens?: number;
  readonly steps?: number;
  readonly minutes?: number;
}

/** Converts a written budget to limits. */
export function toBudgetLimits({ usd, tokens, steps, minutes }: BudgetSettings): BudgetLimits {
  return {
    ...(usd !== undefined && { micros: Math.round(usd * 1_000_000) }),
    ...(tokens !== undefined && { tokens }),
    ...(steps !== undefined && { steps }),
    ...(minutes !== undefined && { minutes }),
  };
}

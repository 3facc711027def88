import type { JsonSchema } from "../../base/index.ts";
import type { BudgetLimits } from "./budget.ts";

/** A budget as people write it in the configuration, in an agent's file or for one run. */
export interface BudgetSettings {
  readonly usd?: number;
  readonly tokens?: number;
  readonly steps?: number;
  readonly minutes?: number;
}

/** The form of {@link BudgetSettings}. */
export const budgetSettings: JsonSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    usd: { type: "number", minimum: 0, description: "US dollars (default: no limit)." },
    tokens: {
      type: "integer",
      minimum: 1,
      description: "Tokens of requests and answers together (default: no limit).",
    },
    steps: { type: "integer", minimum: 1, description: "Answers of the model (default: no limit)." },
    minutes: { type: "number", exclusiveMinimum: 0, description: "Minutes of work (default: no limit)." },
  },
};

/** Limits from what people wrote. */
export function toBudgetLimits({ usd, tokens, steps, minutes }: BudgetSettings): BudgetLimits {
  return {
    ...(usd !== undefined && { micros: Math.round(usd * 1_000_000) }),
    ...(tokens !== undefined && { tokens }),
    ...(steps !== undefined && { steps }),
    ...(minutes !== undefined && { minutes }),
  };
}

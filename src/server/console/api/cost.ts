import type { CallCount } from "../../../app/index.ts";
import type { BudgetState, UsageReportJson, UsageTotalJson } from "../../../app/usage/index.ts";

/** What was spent in a span of time, and how the calls of tools went. */
export interface SpanCost {
  readonly total: UsageTotalJson;
  readonly byModel: readonly UsageTotalJson[];
  readonly byAgent: readonly UsageTotalJson[];
  readonly byTool: readonly CallCount[];
}

export interface CostApi {
  /** Answers the same as `haft usage --json`, with the calls of each tool, calls of each day, and today's budgets. */
  readonly "GET /cost": {
    readonly query: { readonly days?: string };
    readonly answer: UsageReportJson & {
      readonly byTool: readonly CallCount[];
      /** Days of UTC. */
      readonly callsByDay: readonly CallCount[];
      readonly budgets: readonly BudgetState[];
    };
  };
  /** One span of two that are compared. Times are Unix ms. */
  readonly "GET /cost/span": {
    readonly query: { readonly since: string; readonly until: string };
    readonly answer: SpanCost;
  };
}

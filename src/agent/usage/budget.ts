import { type ModelPrices, priceCall } from "../../model/index.ts";
import type { Spent } from "../../modules/usage/index.ts";

/** Limits of a budget. A kind that is absent has no limit. */
export interface BudgetLimits {
  /** Micro-USD. */
  readonly micros?: number;
  /** Input and output. */
  readonly tokens?: number;
  /** Answers of the model. */
  readonly steps?: number;
  readonly minutes?: number;
}

/** What can be limited. */
export type BudgetKind = keyof BudgetLimits;

/**
 * Scope of a budget: a run with all runs below it, a part of such a tree, an agent's day, or the installation's day.
 */
export type BudgetScope = "run" | "part" | "agent-day" | "installation-day";

/** Limits, with what was spent of them. */
export interface Budget {
  readonly scope: BudgetScope;
  readonly limits: BudgetLimits;
  readonly spent: Spent;
}

/** How much of one limit is spent. */
export interface BudgetUse {
  readonly scope: BudgetScope;
  readonly kind: BudgetKind;
  readonly limit: number;
  readonly spent: number;
}

/** A request, before it is made. */
export interface PlannedRequest {
  /** The id of the model. */
  readonly model: string;
  /** Absent: the price is not known. */
  readonly prices: ModelPrices | undefined;
  /** The most tokens that the request may have. */
  readonly inputTokens: number;
  /** The most tokens that the answer may have. */
  readonly maxTokens: number;
  /** Whether its answer is a step of a run. */
  readonly isStep: boolean;
  /** Whether `maxTokens` can't be lowered any more. @default false */
  readonly isFixed?: boolean;
}

/** Whether a request may be made. */
export type BudgetCheck =
  | {
      readonly do: "go";
      /** The most tokens that the answer may have. */
      readonly maxTokens: number;
      /** The limits of which 80 % or more is spent: what the model should be told. */
      readonly near: readonly BudgetUse[];
    }
  | {
      readonly do: "pause";
      /** `unpriced`: the model's calls have no known price, so a limit of money can't be kept. */
      readonly why: "spent" | "unpriced";
      readonly use: BudgetUse;
    };

/** An answer is not asked for with fewer tokens than this, unless the caller itself wants fewer. */
export const shortestAnswer = 1000;

/** The share of a limit at which the model is told. */
const nearShare = 0.8;

/**
 * Decides whether a request may be made: what was spent, what the request costs and the most that its answer may cost
 * have to fit into every budget. Where only a shorter answer fits, it is shortened.
 */
export function checkBudget(budgets: readonly Budget[], request: PlannedRequest): BudgetCheck {
  const uses = budgets.flatMap((budget) => listUses(budget).map((use) => ({ use, budget })));
  let { maxTokens } = request;
  for (const { use, budget } of uses) {
    const room = findRoom(use, request);
    const shortest =
      request.isFixed === true ? request.maxTokens : Math.min(shortestAnswer, request.maxTokens);
    if (room < shortest) return { do: "pause", why: "spent", use };
    if (use.kind === "micros" && isUnpriced(budget, request)) return { do: "pause", why: "unpriced", use };
    maxTokens = Math.min(maxTokens, room);
  }
  return {
    do: "go",
    maxTokens,
    near: uses.flatMap(({ use }) => (use.spent >= use.limit * nearShare ? [use] : [])),
  };
}

function listUses({ scope, limits, spent }: Budget): readonly BudgetUse[] {
  const all: Readonly<Record<BudgetKind, number>> = {
    micros: spent.costMicros,
    tokens: spent.tokens,
    steps: spent.steps,
    minutes: spent.ms / 60_000,
  };
  const kinds = Object.keys(all) as BudgetKind[];
  return kinds.flatMap((kind) => {
    const limit = limits[kind];
    return limit === undefined ? [] : [{ scope, kind, limit, spent: all[kind] }];
  });
}

/** How many tokens the answer may have under one limit; below 0 if not even the request fits. */
function findRoom({ kind, limit, spent }: BudgetUse, request: PlannedRequest): number {
  const left = limit - spent;
  switch (kind) {
    case "micros":
      return request.prices === undefined ? unlimited(left > 0) : findPaidRoom(left, request.prices, request);
    case "tokens":
      return left - request.inputTokens;
    case "steps":
      return unlimited(left >= (request.isStep ? 1 : 0));
    case "minutes":
      return unlimited(left > 0);
    default:
      return kind satisfies never;
  }
}

function findPaidRoom(left: number, prices: ModelPrices, { inputTokens }: PlannedRequest): number {
  const rest = left - reserveCost(inputTokens, 0, prices);
  if (rest < 0) return rest;
  return prices.output === 0 ? Number.POSITIVE_INFINITY : Math.floor((rest * 1_000_000) / prices.output);
}

function unlimited(fits: boolean): number {
  return fits ? Number.POSITIVE_INFINITY : -1;
}

/** The first call of a model may still report its cost. If it did not, later ones won't. */
function isUnpriced({ spent }: Budget, { model, prices }: PlannedRequest): boolean {
  return prices === undefined && spent.unpricedModels.includes(model);
}

/** The most that a call can cost, in micro-USD: the whole request at the price of its most expensive tokens. */
export function reserveCost(inputTokens: number, outputTokens: number, prices: ModelPrices): number {
  const dearest = Math.max(prices.input, prices.cacheWrite, prices.cacheRead);
  const counts = { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
  return priceCall(counts, { ...prices, input: dearest }).costMicros ?? 0;
}

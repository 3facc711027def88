import type { BudgetScope, BudgetUse } from "./budget.ts";
import type { BudgetPause } from "./usage-meter.ts";

const scopeWords: Readonly<Record<BudgetScope, string>> = {
  run: "of this run",
  part: "of this task",
  "agent-day": "of this agent for today",
  "installation-day": "for today",
};

/** Tells the model that a limit is near: `84 % of the budget of this run is spent: $1.68 of $2.00.` */
export function describeNearLimit(use: BudgetUse): string {
  const share = use.limit === 0 ? 100 : Math.floor((100 * use.spent) / use.limit);
  return `${share} % of the budget ${scopeWords[use.scope]} is spent: ${formatUse(use)}.`;
}

/** Tells a person why a run pauses, and how it can go on. */
export function describePause({ why, use }: BudgetPause): string {
  const budget = `the budget ${scopeWords[use.scope]}`;
  if (why === "unpriced")
    return `Nobody knows what this model costs, so ${budget} of ${formatAmount(use, use.limit)} can't be kept. Give its prices in the configuration, or a budget in tokens.`;
  return `What is left of ${budget} does not suffice for another answer: ${formatUse(use)} are spent.`;
}

function formatUse(use: BudgetUse): string {
  return `${formatAmount(use, use.spent)} of ${formatAmount(use, use.limit)}`;
}

function formatAmount({ kind }: BudgetUse, amount: number): string {
  if (kind === "micros") return `$${(amount / 1_000_000).toFixed(amount > 0 && amount < 10_000 ? 4 : 2)}`;
  return `${Math.round(amount).toLocaleString("en")} ${kind}`;
}

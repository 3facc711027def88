import { compileGlob } from "../../base/index.ts";

/** Tokens that definitions may take of a request: for all models, or by the name of a target or model, with `*` for any part. */
export type ToolBudget = number | Readonly<Record<string, number>>;

/**
 * A twentieth of a window of 200,000 tokens, or some 40 definitions of the usual length: selection is reported to get
 * worse from 30 to 50 tools on, and below that a search costs more turns than it saves tokens.
 */
export const defaultToolBudget = 10_000;

/** The entry of the longest pattern that one of `names` fits; {@link defaultToolBudget} where none does. */
export function budgetFor(budget: ToolBudget | undefined, names: readonly string[]): number {
  if (budget === undefined || typeof budget === "number") return budget ?? defaultToolBudget;
  const fitting = Object.keys(budget).filter((pattern) => names.some(compileGlob(pattern)));
  const [longest] = fitting.sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return longest === undefined ? defaultToolBudget : (budget[longest] as number);
}

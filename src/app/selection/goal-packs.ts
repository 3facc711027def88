import { getPackName, type ToolView } from "../../kernel/index.ts";
import {
  budgetFor,
  type FoundPack,
  type RankedPacks,
  type ToolBudget,
  type ToolSearch,
} from "../../search/index.ts";
import { awaitSearch } from "./await-search.ts";
import { type DefinedTools, definitionTokens } from "./definition-tokens.ts";

/** The packs that a list for one goal has whole. */
export interface GoalPacks {
  /** The nearest first. */
  readonly packs: readonly string[];
  /**
   * `likeness`: the packs whose tools mean nearly what the goal means. `budget`: nothing is known of meanings, so all that
   * fit `tools.budget`, those with words of the goal first.
   */
  readonly by: "likeness" | "budget";
  /** Packs that were considered and do not fit `tools.budget`. */
  readonly leftOut: number;
}

export interface GoalPacksParts {
  readonly registry: DefinedTools;
  readonly search: Pick<ToolSearch, "rankPacks" | "ready">;
  /** What whoever gets the list may have. */
  readonly toolset: ToolView;
  /** @default the kernel's */
  readonly budget: ToolBudget | undefined;
  /**
   * Names of the tools that were selected for earlier goals of the same list; they take up budget. A later goal selects
   * only packs that its words name. @default it is the first goal
   */
  readonly before?: readonly string[];
}

/** A list does not wait longer for the vectors of its tools; the words decide then. */
const patienceMs = 5000;

/** The most that a pack scores by meaning alone. A later message such as "thanks" has a nearest pack, too, and needs none. */
const byMeaningAlone = 1 / 3;

/** Selects packs for what somebody wants to do. What is not among them can be found and called as ever. */
export async function packsForGoal(goal: string, parts: GoalPacksParts): Promise<GoalPacks> {
  const { registry, search, toolset, budget, before } = parts;
  await awaitSearch(search, patienceMs);
  const ranked: RankedPacks = await search.rankPacks(goal, { toolset });
  const byMeaning = ranked.by === "words and vectors";
  const tools = Map.groupBy(toolset.usable(), getPackName);
  const known = new Set(before);
  const isNear = ({ score }: FoundPack) => before === undefined || score > byMeaningAlone;
  const listNew = (pack: string) => (tools.get(pack) ?? []).filter(({ name }) => !known.has(name));
  let left = budgetFor(budget, ["mcp"]) - computeCost(registry, before ?? []);
  const fits = ({ name }: { readonly name: string }) => {
    const cost = computeCost(
      registry,
      listNew(name).map((tool) => tool.name),
    );
    if (cost > left) return false;
    left -= cost;
    return true;
  };
  const near = byMeaning ? ranked.near.filter(isNear) : ranked.all;
  const considered = near.filter(({ name }) => listNew(name).length > 0);
  const packs = considered.filter(fits).map(({ name }) => name);
  return { packs, by: byMeaning ? "likeness" : "budget", leftOut: considered.length - packs.length };
}

function computeCost(registry: GoalPacksParts["registry"], names: readonly string[]): number {
  return names.reduce((sum, name) => sum + definitionTokens(registry, name), 0);
}

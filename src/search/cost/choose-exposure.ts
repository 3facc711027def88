import {
  type CacheTerms,
  cacheTerms,
  type InteractionShape,
  simulateInteraction,
  type Turn,
} from "./prompt-cost.ts";
import { defaultToolBudget } from "./tool-budget.ts";

/** How tools are put before a model: all definitions; the core tier and a line for each of the others; or the core tier and a search. */
export const exposures = ["inline", "index", "search"] as const;

/** One of {@link exposures}. */
export type Exposure = (typeof exposures)[number];

/** What a catalogue takes of a prompt, in tokens. Pinned tools are part of `core`. */
export interface CatalogueTokens {
  /** All definitions. */
  readonly all: number;
  /** The definitions that are always shown. */
  readonly core: number;
  /** What `index` shows beside them: its lines, and the tool that loads. */
  readonly index: number;
  /** What `search` shows beside them: the tools that search, describe and call. */
  readonly search: number;
  /** One definition that is loaded. */
  readonly loaded: number;
  /** One answer of the search. */
  readonly answer: number;
}

/** What one interaction costs one way, beyond the same interaction without any tool. */
export interface ExposureCost {
  readonly exposure: Exposure;
  /** The tokens of the first request's definitions. */
  readonly definitions: number;
  readonly fits: boolean;
  /** Made to find or load tools, beside those of the work. */
  readonly extraRequests: number;
  /** The tokens of all requests. */
  readonly tokens: number;
  /**
   * The cost in tokens of uncached input: what is read from the cache counts less, what is written to it or
   * put out counts more.
   */
  readonly cost: number;
}

/** What was chosen, why, and what each way would have cost. */
export interface ExposureChoice {
  readonly exposure: Exposure;
  readonly reason: string;
  readonly budget: number;
  /** The costs in the order of {@link exposures}. */
  readonly costs: readonly ExposureCost[];
}

/** The budget, and what an interaction is expected to look like. */
export interface ExposureOptions {
  /** Tokens of definitions in a request. @default {@link defaultToolBudget} */
  readonly budget?: number;
  /** @default those of `mcp`, the dearest */
  readonly cache?: CacheTerms;
  readonly shape?: Partial<InteractionShape>;
}

/**
 * Chooses how tools are shown. What fits the budget is shown whole: the model needs no extra turn, and the list never
 * changes. Past it, the cheaper of the other two that fits, by what an interaction costs with the prompt cache.
 *
 * @example
 * ```ts
 * const tokens = { all: 60_000, core: 2_000, index: 4_000, search: 1_000, loaded: 300, answer: 400 };
 * chooseExposure({ ...tokens, all: 3_000 }, { budget: 10_000 }).exposure; // → "inline"
 * chooseExposure(tokens, { budget: 10_000 }).exposure === "inline"; // → false
 * ```
 */
export function chooseExposure(tokens: CatalogueTokens, options: ExposureOptions = {}): ExposureChoice {
  const { budget = defaultToolBudget } = options;
  const costs = exposures.map((exposure) => computeCost(exposure, tokens, options));
  const [inline, ...lean] = costs as [ExposureCost, ...ExposureCost[]];
  const choice = (exposure: Exposure, reason: string) => ({ exposure, reason, budget, costs });
  if (inline.fits) return choice("inline", "all definitions fit the budget");
  const smaller = lean.filter(({ definitions }) => definitions < inline.definitions);
  if (smaller.length === 0) return choice("inline", "leaving definitions out would save nothing");
  const fitting = smaller.filter(({ fits }) => fits);
  const [only] = fitting;
  if (only === undefined) {
    const least = cheapest(smaller, ({ definitions }) => definitions);
    return choice(least.exposure, "nothing fits the budget; this takes the least of a request");
  }
  if (fitting.length === 1) return choice(only.exposure, "all definitions pass the budget, and this fits it");
  return choice(
    cheapest(fitting, ({ cost }) => cost).exposure,
    "all definitions pass the budget, and this costs the least per interaction",
  );
}

function cheapest(costs: readonly ExposureCost[], of: (cost: ExposureCost) => number): ExposureCost {
  return costs.reduce((least, one) => (of(one) < of(least) ? one : least));
}

function computeCost(exposure: Exposure, tokens: CatalogueTokens, options: ExposureOptions): ExposureCost {
  const { budget = defaultToolBudget, cache = cacheTerms.mcp } = options;
  const shape = { ...usualInteraction, ...options.shape };
  const turns = toTurns(exposure, tokens, shape);
  const whole = simulateInteraction(turns, shape, cache);
  const bare = simulateInteraction(toTurns("inline", noTools, shape), shape, cache);
  const definitions = turns[0]?.definitions ?? 0;
  return {
    exposure,
    definitions,
    fits: definitions <= budget,
    extraRequests: turns.filter(({ finds }) => finds).length,
    tokens: whole.tokens - bare.tokens,
    cost: whole.cost - bare.cost,
  };
}

const noTools: CatalogueTokens = { all: 0, core: 0, index: 0, search: 0, loaded: 0, answer: 0 };

/** The requests of an interaction, with those that find tools spread evenly among those of the work. */
function toTurns(exposure: Exposure, tokens: CatalogueTokens, shape: InteractionShape): Turn[] {
  const { requests, toolsUsed, addedTokens, callTokens } = shape;
  const finds = exposure === "inline" ? 0 : Math.min(toolsUsed, requests);
  let definitions = exposure === "inline" ? tokens.all : tokens.core + tokens[exposure];
  const answer = exposure === "search" ? tokens.answer : loadedAnswer;
  const turns: Turn[] = [];
  let found = 0;
  for (let request = 0; request < requests; request++) {
    while (found < finds && found * requests <= request * finds) {
      turns.push({ definitions, added: callTokens + answer, finds: true });
      if (exposure === "index") definitions += tokens.loaded;
      found++;
    }
    turns.push({ definitions, added: addedTokens, finds: false });
  }
  return turns;
}

/** The tokens of the line that says what was loaded. */
const loadedAnswer = 40;

/**
 * An interaction of a coding or office agent: a few turns, each with a call and its result, a few of the many tools.
 * The chooser's answer hardly moves with it, as the definitions are most of what differs.
 */
export const usualInteraction: InteractionShape = {
  requests: 10,
  toolsUsed: 3,
  otherTokens: 3000,
  addedTokens: 600,
  callTokens: 60,
};

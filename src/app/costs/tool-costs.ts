import {
  entryNaming,
  firstSentence,
  foundForm,
  getPackName,
  getServerName,
  type LLMTarget,
  selectionToolNames,
  type ToolInfo,
  type ToolRegistry,
} from "../../kernel/index.ts";
import {
  budgetFor,
  type CatalogueTokens,
  cacheTerms,
  chooseExposure,
  type ExposureChoice,
  type InteractionShape,
  type ToolBudget,
  usualInteraction,
} from "../../search/index.ts";
import { type DefinitionCounter, definitionCounter } from "./definition-counter.ts";

/** What one tool takes of a request. */
export interface ToolCost {
  readonly name: string;
  readonly group: string;
  /** The tokens of its definition, in every request that has it. */
  readonly tokens: number;
  /** Its share of a request that has all definitions, from 0 to 1. */
  readonly share: number;
  readonly tier: ToolTier;
}

/** Every list has the `core`; a lean one has the `finder`s, which lead to what it leaves out, in place of the others. */
export type ToolTier = "core" | "on demand" | "finder";

/** @param core names and globs of what every list has */
export function findTier(name: string, core: readonly string[]): ToolTier {
  if (selectionToolNames.includes(name)) return "finder";
  return entryNaming(core, name) === undefined ? "on demand" : "core";
}

/** The tools of one MCP server, or of one pack. */
export interface GroupCost {
  readonly name: string;
  readonly kind: "server" | "pack";
  readonly tools: number;
  readonly tokens: number;
  readonly share: number;
}

/** One way to list the tools. */
export interface ListCost {
  readonly tools: number;
  /** The tokens in each request, `fixed` included. */
  readonly tokens: number;
}

/** What one exposure spares beside another. */
export interface Saving {
  readonly tokens: number;
  /** What is saved, from 0 to 1 of what it would be otherwise; below 0 where it is more. */
  readonly share: number;
}

/** What the definitions of an installation cost. All lists have the dearest first. */
export interface CostReport
  extends Pick<DefinitionCounter, "target" | "tokenizer" | "exact" | "basis" | "fixed"> {
  readonly tools: readonly ToolCost[];
  readonly groups: readonly GroupCost[];
  /** All but the finders. */
  readonly whole: ListCost;
  readonly lean: ListCost;
  readonly choice: ExposureChoice;
  readonly interaction: InteractionShape;
  /**
   * What a lean list in place of all saves: in a request, in an interaction, and in what an interaction costs
   * with the prompt cache.
   */
  readonly saved: { readonly request: Saving; readonly interaction: Saving; readonly cost: Saving };
}

export interface CostQuestion {
  readonly target: LLMTarget;
  /** Those that are asked about. @default all */
  readonly tools?: readonly ToolInfo[];
  /** Names and globs of what every list has. */
  readonly core: readonly string[];
  readonly budget?: ToolBudget | undefined;
  /** Requests of one interaction. @default 10 */
  readonly requests?: number;
}

type Registry = Pick<ToolRegistry, "list" | "toLLMTool" | "getSchema">;

export async function costOfTools(registry: Registry, question: CostQuestion): Promise<CostReport> {
  const { target, core, budget, tools = registry.list() } = question;
  const counter = await definitionCounter(target);
  const counted = tools.flatMap((tool): CountedTool[] => {
    const definition = registry.toLLMTool(tool.name, target);
    // A tool that can't be offered to the target has none, and costs nothing.
    if (definition === undefined) return [];
    return [{ tool, tokens: counter.of(definition), tier: findTier(tool.name, core) }];
  });
  const catalogue = catalogueTokens(registry, counted, counter);
  const computeShare = (tokens: number) => (catalogue.all === 0 ? 0 : tokens / catalogue.all);
  const interaction = { ...usualInteraction, requests: question.requests ?? usualInteraction.requests };
  const choice = chooseExposure(catalogue, {
    budget: budgetFor(budget, [target]),
    cache: cacheTerms[target],
    shape: interaction,
  });
  const { target: _target, tokenizer, exact, basis, fixed } = counter;
  const countOthers = (left: ToolTier) => counted.filter(({ tier }) => tier !== left).length;
  const whole = { tools: countOthers("finder"), tokens: catalogue.all };
  const lean = { tools: countOthers("on demand"), tokens: catalogue.core + catalogue.search };
  return {
    target,
    tokenizer,
    exact,
    basis,
    fixed,
    tools: byTokens(
      counted.map(({ tool, tokens, tier }) => ({
        name: tool.name,
        group: getPackName(tool),
        tokens,
        share: computeShare(tokens),
        tier,
      })),
    ),
    groups: toGroups(counted, computeShare),
    whole,
    lean,
    choice,
    interaction,
    saved: savedBy(whole, lean, choice),
  };
}

interface CountedTool {
  readonly tool: ToolInfo;
  readonly tokens: number;
  readonly tier: ToolTier;
}

/** The search answers with so many tools, unless it is asked for more. */
const foundTools = 5;
const loaderNames = ["browse_tools", "load_tools"];

function catalogueTokens(
  registry: Registry,
  counted: readonly CountedTool[],
  { target, fixed: forAny, text }: DefinitionCounter,
): CatalogueTokens {
  const fixed = counted.length === 0 ? 0 : forAny;
  const ofTier = (wanted: ToolTier) => counted.filter(({ tier }) => tier === wanted);
  const [core, hidden, finders] = [ofTier("core"), ofTier("on demand"), ofTier("finder")];
  const loaders = finders.filter(({ tool }) => loaderNames.includes(tool.name));
  const perHidden = (of: (tool: ToolInfo) => number) =>
    hidden.length === 0 ? 0 : hidden.reduce((sum, { tool }) => sum + of(tool), 0) / hidden.length;
  const countFound = rememberFound(registry, target, text);
  const line = perHidden((tool) => countFound(tool).line);
  const found = perHidden((tool) => countFound(tool).found);
  return {
    all: fixed + computeSum(core) + computeSum(hidden),
    core: fixed + computeSum(core),
    index: Math.round(line * hidden.length) + computeSum(loaders),
    search: computeSum(finders),
    loaded: hidden.length === 0 ? 0 : Math.round(computeSum(hidden) / hidden.length),
    answer: Math.round(found * Math.min(foundTools, hidden.length)),
  };
}

/** Tokens of a tool in a list of names, and as a search finds it. */
interface FoundTokens {
  readonly line: number;
  readonly found: number;
}

const foundTokens = new Map<LLMTarget, WeakMap<ToolInfo, FoundTokens>>();

/** Counts each tool once: a tool that changes is another object. */
function rememberFound(
  registry: Registry,
  target: LLMTarget,
  text: DefinitionCounter["text"],
): (tool: ToolInfo) => FoundTokens {
  const known = foundTokens.get(target) ?? new WeakMap<ToolInfo, FoundTokens>();
  foundTokens.set(target, known);
  return (tool) => {
    const { name, description } = tool;
    const tokens = known.get(tool) ?? {
      line: text(`${name}: ${firstSentence(description)}\n`),
      found: text(JSON.stringify(foundForm(tool, registry.getSchema(name)))),
    };
    known.set(tool, tokens);
    return tokens;
  };
}

function toGroups(counted: readonly CountedTool[], computeShare: (tokens: number) => number): GroupCost[] {
  const offered = counted.filter(({ tier }) => tier !== "finder");
  const groups = Map.groupBy(offered, ({ tool }) => `${findKind(tool)} ${getPackName(tool)}`);
  return byTokens(
    Array.from(groups.values(), (members) => {
      const { tool } = members[0] as CountedTool;
      const tokens = computeSum(members);
      return {
        name: getPackName(tool),
        kind: findKind(tool),
        tools: members.length,
        tokens,
        share: computeShare(tokens),
      };
    }),
  );
}

function findKind(tool: ToolInfo): GroupCost["kind"] {
  return getServerName(tool) === undefined ? "pack" : "server";
}

function savedBy(whole: ListCost, lean: ListCost, { costs }: ExposureChoice): CostReport["saved"] {
  const of = (exposure: string) => costs.find((cost) => cost.exposure === exposure);
  const [inline, search] = [of("inline"), of("search")];
  return {
    request: saving(whole.tokens, lean.tokens),
    interaction: saving(inline?.tokens ?? 0, search?.tokens ?? 0),
    cost: saving(inline?.cost ?? 0, search?.cost ?? 0),
  };
}

function saving(before: number, after: number): Saving {
  return { tokens: Math.round(before - after), share: before === 0 ? 0 : (before - after) / before };
}

function computeSum(counted: readonly { readonly tokens: number }[]): number {
  return counted.reduce((sum, { tokens }) => sum + tokens, 0);
}

function byTokens<Costed extends { readonly name: string; readonly tokens: number }>(
  costs: readonly Costed[],
): Costed[] {
  return costs.toSorted((a, b) => b.tokens - a.tokens || (a.name < b.name ? -1 : 1));
}

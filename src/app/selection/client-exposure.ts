import { RecentMap } from "../../base/index.ts";
import {
  type Interaction,
  type InteractionOptions,
  selectionToolNames,
  type ToolInfo,
  ToolInteraction,
  type ToolLimits,
  type ToolView,
} from "../../kernel/index.ts";
import { budgetFor, type ToolBudget } from "../../search/index.ts";
import type { Expose } from "../config/config-types.ts";
import { type DefinedTools, definitionTokens } from "./definition-tokens.ts";
import { ExposedInteraction } from "./exposed-interaction.ts";

export interface ClientExposureOptions {
  readonly registry: DefinedTools;
  readonly expose: Expose;
  /** @default the kernel's */
  readonly budget: ToolBudget | undefined;
  /** Names and globs of what a lean list has. */
  readonly core: readonly string[];
  /** Packs that a lean list has whole. */
  readonly corePacks: readonly string[];
}

/** How much a list has, of how much there is. */
export interface Exposed {
  readonly lean: boolean;
  readonly listed: number;
  /** Tools that a client may have, those that lead to others apart. */
  readonly tools: number;
}

const mostKept = 200;

/**
 * How many of its tools a client is shown: all of them, or the few that lead to the others. Where the budget decides,
 * what was lean stays lean: a server that comes and goes must not cost clients their prompt cache again and again.
 */
export class ClientExposure {
  readonly #options: ClientExposureOptions;
  readonly #whole = new WeakMap<readonly ToolInfo[], readonly ToolInfo[]>();
  readonly #fits = new WeakMap<readonly ToolInfo[], boolean>();
  readonly #limits = new RecentMap<string, readonly ToolLimits[]>(mostKept);
  #hasPassed = false;

  constructor(options: ClientExposureOptions) {
    this.#options = options;
  }

  /** What one client is shown from now on. */
  open(client: InteractionOptions): Interaction {
    const { core, corePacks } = this.#options;
    return new ExposedInteraction(new ToolInteraction({ ...client, core, corePacks }), this);
  }

  /** Whoever may not use what leads to other tools is shown all it has. */
  isLean(toolset: ToolView): boolean {
    const { expose } = this.#options;
    if (expose === "all" || !leading.every((name) => toolset.of(name).shown.is)) return false;
    if (expose === "lean" || this.#hasPassed) return true;
    this.#hasPassed = !this.#fitsBudget(toolset.shown());
    return this.#hasPassed;
  }

  /** All that a client has, without what only leads to it. */
  whole(toolset: ToolView): readonly ToolInfo[] {
    const shown = toolset.shown();
    let whole = this.#whole.get(shown);
    if (whole === undefined) {
      whole = shown.filter(({ name }) => !selectionToolNames.includes(name));
      this.#whole.set(shown, whole);
    }
    return whole;
  }

  /** One array for all interactions that are limited alike: the gate keeps what it knows of a caller by it. */
  shared(limits: readonly ToolLimits[]): readonly ToolLimits[] {
    const key = limits.map(({ shownTools = [] }) => shownTools.join()).join(" ");
    const kept = this.#limits.get(key);
    if (kept !== undefined) return kept;
    this.#limits.set(key, limits);
    return limits;
  }

  describe({ toolset, shown }: Pick<Interaction, "toolset" | "shown">): Exposed {
    return { lean: this.isLean(toolset), listed: shown.length, tools: this.whole(toolset).length };
  }

  #fitsBudget(shown: readonly ToolInfo[]): boolean {
    const known = this.#fits.get(shown);
    if (known !== undefined) return known;
    const { registry, budget } = this.#options;
    let left = budgetFor(budget, ["mcp"]);
    for (const { name } of shown) {
      left -= definitionTokens(registry, name);
      if (left < 0) break;
    }
    this.#fits.set(shown, left >= 0);
    return left >= 0;
  }
}

/** Without these the tools that a lean list leaves out could not be found and called. */
const leading = ["search_tools", "call_tool"];

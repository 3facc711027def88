import type { ToolInfo } from "../../tool/tool-info.ts";
import { entryNaming, type ToolLimits } from "../../tool/tool-limits.ts";
import { getPackName } from "../pack-of.ts";
import type { ToolView } from "../tool-view.ts";
import { type HandleEntry, readHandle, writeEntry, writeHandle } from "./handle.ts";
import type { Interaction } from "./interaction.ts";

/** What one interaction shows from the start, and whose tools it takes. */
export interface InteractionOptions {
  /** What the caller has, as it is now, without limits of an interaction. */
  readonly toolset: () => ToolView;
  /** Shown from the start, and never unloaded: names and globs. @default none */
  readonly core?: readonly string[];
  /** Packs that are shown as the core is. @default none */
  readonly corePacks?: readonly string[];
  /** Whether a tool that is not shown can be called by name. @default true */
  readonly callHidden?: boolean;
  /** Whether the caller's list of tools can't change. @default false */
  readonly passing?: boolean;
}

/**
 * One interaction as it goes on. It follows its caller's toolset: a tool that comes later is shown behind those that
 * were shown before, one that goes is left out, and has its old place should it come back.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * for (const name of ["glob", "git_log"])
 *   registry.register(defineTool({ name, description: name, parameters: z.object({}), execute: () => "" }));
 * const executor = new ToolExecutor(registry);
 * const interaction = new ToolInteraction({ toolset: () => executor.toolset(), core: ["glob"] });
 * interaction.shown.map(({ name }) => name); // → ["glob"]
 * interaction.load(["git_log"]);
 * interaction.shown.map(({ name }) => name); // → ["glob", "git_log"]
 * ```
 */
export class ToolInteraction implements Interaction {
  readonly #toolset: () => ToolView;
  readonly #isCore: (tool: ToolInfo) => boolean;
  readonly #callHidden: boolean;
  readonly passing: boolean;
  /** What was loaded, as the handle writes it, in the order in which it was loaded. */
  readonly #loaded = new Map<string, HandleEntry>();
  /** Names in the order in which they were first shown. */
  #order = new Set<string>();
  #available: readonly ToolInfo[] = noTools;
  #shown: readonly ToolInfo[] = noTools;
  #limits: readonly ToolLimits[];

  constructor({
    toolset,
    core = [],
    corePacks = [],
    callHidden = true,
    passing = false,
  }: InteractionOptions) {
    this.#toolset = toolset;
    this.#isCore = (tool) =>
      entryNaming(core, tool.name) !== undefined || corePacks.includes(getPackName(tool));
    this.#callHidden = callHidden;
    this.passing = passing;
    this.#limits = this.#limitsTo([]);
  }

  /** An interaction that goes on where another one was. A handle lists what to show and grants nothing. */
  static from(handle: string, options: InteractionOptions): ToolInteraction {
    const interaction = new ToolInteraction(options);
    interaction.resume(handle);
    return interaction;
  }

  get handle(): string {
    return writeHandle(this.#loaded.keys());
  }

  get toolset(): ToolView {
    return this.#toolset();
  }

  get shown(): readonly ToolInfo[] {
    this.#refresh();
    return this.#shown;
  }

  get limits(): readonly ToolLimits[] {
    this.#refresh();
    return this.#limits;
  }

  /** Shows more tools, in the order of the registry. Returns those that were not shown before. */
  load(names: readonly string[]): readonly string[] {
    this.#refresh();
    const wanted = new Set(names);
    const added = this.#available.filter(({ name }) => wanted.has(name) && !this.#order.has(name));
    return this.#add(added.map(({ name }) => ({ tool: name })));
  }

  /** Shows the tools of a pack, with those that come into it later. Returns those that were not shown before. */
  loadPack(pack: string): readonly string[] {
    return this.#add([{ pack }]);
  }

  /** Shows what a handle lists. Returns those that were not shown before. */
  resume(handle: string): readonly string[] {
    this.#refresh();
    const { byName, byPack } = indexTools(this.#available);
    const isPack = (word: string) => !byName.has(word) && byPack.has(word);
    const entries = readHandle(handle).map((entry) =>
      "tool" in entry && isPack(entry.tool) ? { pack: entry.tool } : entry,
    );
    return this.#add(entries);
  }

  #add(entries: readonly HandleEntry[]): readonly string[] {
    this.#refresh();
    const before = new Set(this.#order);
    const { byName, byPack } = indexTools(this.#available);
    for (const entry of entries) {
      if ("tool" in entry && before.has(entry.tool)) continue;
      const isThere = "tool" in entry ? byName.has(entry.tool) : byPack.has(entry.pack);
      if (isThere || this.#loaded.size < mostAwaited) this.#loaded.set(writeEntry(entry), entry);
    }
    this.#show();
    return this.#shown.flatMap(({ name }) => (before.has(name) ? [] : [name]));
  }

  #refresh(): void {
    const available = this.#toolset().shown();
    if (available === this.#available) return;
    this.#available = available;
    this.#show();
  }

  #show(): void {
    const { byName, byPack } = indexTools(this.#available);
    for (const tool of this.#available) if (this.#isCore(tool)) this.#order.add(tool.name);
    for (const entry of this.#loaded.values()) {
      const names = "tool" in entry ? [entry.tool] : (byPack.get(entry.pack) ?? []);
      for (const name of names) if (byName.has(name)) this.#order.add(name);
    }
    const shown = Array.from(this.#order).flatMap((name) => byName.get(name) ?? []);
    const names = shown.map(({ name }) => name);
    this.#shown = Object.freeze(shown);
    if (this.#order.size > names.length + mostGone) this.#order = new Set(names);
    if (!isSameList(names, this.#limits[0]?.shownTools)) this.#limits = this.#limitsTo(names);
  }

  #limitsTo(shownTools: readonly string[]): readonly ToolLimits[] {
    return [{ by: "this interaction", shownTools, callHidden: this.#callHidden }];
  }
}

const noTools: readonly ToolInfo[] = [];
/**
 * The number of tools that are gone whose places are kept: a server that is connected anew brings them back.
 */
const mostGone = 1000;

/** The most loaded names that are waited for: each handle may name other words. */
const mostAwaited = 1000;

interface ToolIndex {
  readonly byName: ReadonlyMap<string, ToolInfo>;
  /** Names, in the order of the registry. */
  readonly byPack: ReadonlyMap<string, readonly string[]>;
}

/** Interactions of the same caller look at the same list. */
const indexes = new WeakMap<readonly ToolInfo[], ToolIndex>();

function indexTools(tools: readonly ToolInfo[]): ToolIndex {
  let index = indexes.get(tools);
  if (index === undefined) {
    const packs = Map.groupBy(tools, getPackName);
    index = {
      byName: new Map(tools.map((tool) => [tool.name, tool])),
      byPack: new Map(Array.from(packs, ([pack, members]) => [pack, members.map(({ name }) => name)])),
    };
    indexes.set(tools, index);
  }
  return index;
}

function isSameList(list: readonly string[], other: readonly string[] | undefined): boolean {
  return list.length === other?.length && list.every((one, index) => one === other[index]);
}

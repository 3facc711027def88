import type { ToolInfo, ToolRegistry, ToolView } from "../../kernel/index.ts";
import {
  firstSentence,
  getCalledPackName,
  getPackName,
  knownPacks,
  type PackInfo,
} from "../../kernel/index.ts";

/** A pack as it is now. */
export interface ListedPack {
  readonly name: string;
  readonly description: string;
  readonly toolCount: number;
  /** Names, in the order of the registry. */
  readonly tools: readonly string[];
}

const namedTools = 4;

/**
 * Lists the packs that have tools, with what they are for.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "send",
 *     pack: "mail",
 *     description: "Send a mail.",
 *     parameters: z.object({}),
 *     execute: () => "",
 *   }),
 * );
 * const packs = new PackCatalogue(registry, () => [{ name: "mail", description: "Read and send mail." }]);
 * packs.list().map(({ name, toolCount }) => [name, toolCount]); // → [["mail", 1]]
 * ```
 */
export class PackCatalogue {
  readonly #registry: Pick<ToolRegistry, "snapshot">;
  readonly #more: () => readonly PackInfo[];
  readonly #grouped = new WeakMap<readonly ToolInfo[], ReadonlyMap<string, readonly ToolInfo[]>>();

  /** @param more packs that are known beside {@link knownPacks}, such as MCP servers; what we say of ours stays */
  constructor(registry: Pick<ToolRegistry, "snapshot">, more: () => readonly PackInfo[] = () => []) {
    this.#registry = registry;
    this.#more = more;
  }

  /** What is known of a pack; undefined for one that nothing describes. */
  get(name: string): PackInfo | undefined {
    const isIt = (pack: PackInfo) => pack.name === name;
    return knownPacks.find(isIt) ?? this.#more().find(isIt);
  }

  /** Those with tools that the caller may call; all without a toolset. In the order of their first tools. */
  list(toolset?: Pick<ToolView, "usable">): readonly ListedPack[] {
    const tools = toolset?.usable() ?? this.#registry.snapshot().tools;
    let grouped = this.#grouped.get(tools);
    if (grouped === undefined) {
      grouped = Map.groupBy(tools, getPackName);
      this.#grouped.set(tools, grouped);
    }
    const known = this.#known();
    return Array.from(grouped, ([name, ofPack]) => ({
      name,
      description: known.get(name)?.description ?? derivedDescription(ofPack),
      toolCount: ofPack.length,
      tools: ofPack.map((tool) => tool.name),
    }));
  }

  #known(): ReadonlyMap<string, PackInfo> {
    return new Map([...this.#more(), ...knownPacks].map((pack) => [pack.name, pack]));
  }
}

/** Describes a pack that nobody has described. */
function derivedDescription(tools: readonly ToolInfo[]): string {
  const [only] = tools;
  if (only !== undefined && tools.length === 1) return firstSentence(only.description);
  const names = tools.slice(0, namedTools).map(withoutPrefix);
  const more = tools.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function withoutPrefix(tool: ToolInfo): string {
  const prefix = `${getCalledPackName(tool)}__`;
  return tool.name.startsWith(prefix) ? tool.name.slice(prefix.length) : tool.name;
}

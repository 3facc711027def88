import type { ToolRegistry } from "../registry.ts";
import type { Tool } from "../tool.ts";
import type { ToolView } from "../toolset.ts";
import { firstSentence } from "./first-sentence.ts";
import { packOf } from "./pack-of.ts";

/** What is known of a pack beside its tools. */
export interface PackInfo {
  readonly name: string;
  /** For the model: what its tools are for. */
  readonly description: string;
  /** Its tools are shown from the start. @default false */
  readonly alwaysLoad?: boolean;
}

/** A pack as it is now. */
export interface ListedPack {
  readonly name: string;
  readonly description: string;
  readonly toolCount: number;
  /** Names, in the order of the registry. */
  readonly tools: readonly string[];
}

/** The packs that every installation may have. Descriptions never change while a program runs. */
export const knownPacks: readonly PackInfo[] = [
  { name: "git", description: "Branch, commit, push, PR, and merge operations" },
  { name: "project", description: "Project CRUD, workspace management" },
  { name: "agent", description: "Agent management, agent profiles" },
  { name: "hooks", description: "Direct hook management (low-level)" },
  { name: "memory", description: "Memory operations beyond search, notes, project profiles" },
  { name: "files", description: "Read, write, edit, search, and browse files in project workspaces" },
  { name: "system", description: "Token usage, config, diagnostics, task lifecycle ops, prompts" },
  { name: "shell", description: "Run commands, and watch or stop those that run in the background" },
  { name: "network", description: "Read web pages, search the web, make HTTP requests" },
  { name: "data", description: "Query, convert and transform JSON, CSV and text" },
  { name: "calls", description: "Make many calls of tools in one: chains fed from each other, and scripts" },
  { name: "selection", description: "Find, load, describe and call the tools that are not shown" },
  { name: "secrets", description: "Store, list and delete secrets; their values are never shown" },
  { name: "skills", description: "Instructions for kinds of work, to be read when they are needed" },
  { name: "extensions", description: "Reload and inspect extensions" },
  { name: "markdown", description: "Tools written in Markdown by the owner of this installation" },
];

const namedTools = 4;

/** The packs that have tools, with what they are for. */
export class PackCatalogue {
  readonly #registry: Pick<ToolRegistry, "snapshot">;
  readonly #more: () => readonly PackInfo[];
  readonly #grouped = new WeakMap<readonly Tool[], ReadonlyMap<string, readonly Tool[]>>();

  /** @param more packs that are known beside {@link knownPacks}, such as MCP servers; one of the same name comes before */
  constructor(registry: Pick<ToolRegistry, "snapshot">, more: () => readonly PackInfo[] = () => []) {
    this.#registry = registry;
    this.#more = more;
  }

  get(name: string): PackInfo | undefined {
    return this.#known().get(name);
  }

  /** Those with tools that the caller may call; all without a toolset. In the order of their first tools. */
  list(toolset?: Pick<ToolView, "usable">): readonly ListedPack[] {
    const tools = toolset?.usable() ?? this.#registry.snapshot().tools;
    let grouped = this.#grouped.get(tools);
    if (grouped === undefined) {
      grouped = Map.groupBy(tools, packOf);
      this.#grouped.set(tools, grouped);
    }
    const known = this.#known();
    return Array.from(grouped, ([name, ofPack]) => ({
      name,
      description: known.get(name)?.description ?? derivedDescription(name, ofPack),
      toolCount: ofPack.length,
      tools: ofPack.map((tool) => tool.name),
    }));
  }

  #known(): ReadonlyMap<string, PackInfo> {
    return new Map([...knownPacks, ...this.#more()].map((pack) => [pack.name, pack]));
  }
}

/** Of a pack that nobody has described. */
function derivedDescription(pack: string, tools: readonly Tool[]): string {
  const [only] = tools;
  if (only !== undefined && tools.length === 1) return firstSentence(only.description);
  const names = tools.slice(0, namedTools).map(({ name }) => withoutPack(name, pack));
  const more = tools.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function withoutPack(name: string, pack: string): string {
  return name.startsWith(`${pack}__`) ? name.slice(pack.length + 2) : name;
}

import type { Tool, ToolLimits, ToolRegistry } from "../kernel/index.ts";
import { listToolNames } from "./deferred-tools.ts";
import { modules } from "./modules.ts";
import { families } from "./own-tools.ts";

type Tools = Pick<ToolRegistry, "get">;

/**
 * The tools of one part of an agent, as a pack that takes them from the registry. Modules say which
 * collections their tools are in: what is registered later under another name is in none.
 */
export interface ToolCollection {
  readonly name: string;
  readonly description: string;
  readonly alwaysLoad: false;
  /** Names, also of tools that an installation may not have. */
  readonly tools: readonly string[];
  readonly factories: readonly ((registry: Tools) => Tool | null)[];
  /** Leave a caller these tools and no others. */
  readonly limits: readonly ToolLimits[];
}

/** What a task works with. To start tasks and to speak to people is the main agent's alone. */
export const allTaskTools: ToolCollection = collect(
  "allTaskTools",
  "What a background task works with: system, files, network, data, memory and earlier tasks",
);

/** Reads memory and the history of tasks, and writes neither: work is done by the tasks that it starts. */
export const mainAgentTools: ToolCollection = collect(
  "mainAgentTools",
  "What the main agent directs by: the time, memory and earlier tasks to read, tasks to start, the word to the user",
);

/** Without `memory_list`: whoever reflects is given the index of the memory at the start. */
export const reflectionTools: ToolCollection = collect(
  "reflectionTools",
  "What is learnt from a finished task by: reading and writing the memory",
);

export const sessionTools: ToolCollection = collect("sessionTools", "Reading what a session archived");

/** Every collection: which tools each kind of agent has. */
export const toolCollections: readonly ToolCollection[] = [
  allTaskTools,
  mainAgentTools,
  reflectionTools,
  sessionTools,
];

/**
 * Lists the registered tools of a collection, in its order.
 *
 * @example
 * ```ts
 * await using app = await createApp({ folder: process.cwd(), home: new Home(`${process.cwd()}/.home`) });
 * const [collection] = toolCollections;
 * const tools = collection === undefined ? [] : collectionTools(collection, app.registry);
 * tools.length > 0; // → true
 * ```
 */
export function collectionTools({ factories }: ToolCollection, registry: Tools): readonly Tool[] {
  return factories.map((take) => take(registry)).filter((tool) => tool !== null);
}

function collect(name: string, description: string): ToolCollection {
  const own = families.flatMap((family) => {
    const part = family.collections?.[name] ?? [];
    return part === "all" ? listToolNames(family.name) : part;
  });
  const atRun = modules.flatMap(({ collections }) => collections?.[name] ?? []);
  const tools = [...new Set([...own, ...atRun])];
  const factories = tools.map((tool) => (registry: Tools) => registry.get(tool) ?? null);
  const limits = [{ by: `the collection ${name}`, allowedTools: tools }];
  return { name, description, alwaysLoad: false, tools, factories, limits };
}

import type { Tool } from "../../../../kernel/index.ts";
import { memoryForgetTool } from "./memory-forget.ts";
import { memoryGraphTool } from "./memory-graph.ts";
import { memoryRecallTool } from "./memory-recall.ts";
import { memoryStoreTool } from "./memory-store.ts";
import type { MemoriesServices } from "./services.ts";

/**
 * Makes the tools `memory_store`, `memory_recall`, `memory_forget` and, where there is a graph, `memory_graph`.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const registry = new ToolRegistry();
 * registry.registerMany(memoriesTools({ memory: store.memory }));
 * registry.has("memory_store"); // → true
 * registry.has("memory_graph"); // → false
 * ```
 */
export function memoriesTools(services: MemoriesServices): readonly Tool[] {
  const tools = [
    memoryStoreTool(services),
    memoryRecallTool(services),
    memoryForgetTool(services),
    memoryGraphTool(services.graph),
  ];
  return tools.filter((tool) => tool !== null);
}

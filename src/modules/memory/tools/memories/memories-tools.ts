import type { Tool } from "../../../../kernel/index.ts";
import { memoryForgetTool } from "./memory-forget.ts";
import { memoryGraphTool } from "./memory-graph.ts";
import { memoryRecallTool } from "./memory-recall.ts";
import { memoryStoreTool } from "./memory-store.ts";
import type { MemoriesServices } from "./services.ts";

/** The vocabulary of memories: `memory_store`, `memory_recall`, `memory_forget`, `memory_graph`. */
export function memoriesTools(services: MemoriesServices): readonly Tool[] {
  const tools = [
    memoryStoreTool(services),
    memoryRecallTool(services),
    memoryForgetTool(services),
    memoryGraphTool(services.graph),
  ];
  return tools.filter((tool) => tool !== null);
}

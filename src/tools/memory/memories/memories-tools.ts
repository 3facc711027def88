import { type Clock, systemClock } from "../../../base/index.ts";
import type { Tool } from "../../../kernel/index.ts";
import { memoryForgetTool } from "./memory-forget.ts";
import { memoryGraphTool } from "./memory-graph.ts";
import { memoryRecallTool } from "./memory-recall.ts";
import { memoryStoreTool } from "./memory-store.ts";
import type { MemoriesServices } from "./services.ts";

/** Seed 000's vocabulary: `memory_store`, `memory_recall`, `memory_forget`, `memory_graph`. */
export function memoriesTools({
  memory,
  clock = systemClock,
  ...rest
}: Omit<MemoriesServices, "clock"> & { readonly clock?: Clock }): Tool[] {
  if (memory === undefined) return [];
  const services = { ...rest, memory, clock };
  const graphTool = memoryGraphTool(services.graph);
  return [
    memoryStoreTool(services),
    memoryRecallTool(services),
    memoryForgetTool(services),
    ...(graphTool === null ? [] : [graphTool]),
  ];
}

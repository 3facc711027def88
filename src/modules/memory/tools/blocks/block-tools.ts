import type { Tool } from "../../../../kernel/index.ts";
import { blockTool } from "./block.ts";
import { recallTool } from "./recall.ts";
import { searchTool } from "./search.ts";
import { semanticSearchTool } from "./semantic-search.ts";
import type { BlockServices } from "./services.ts";

/**
 * Makes the tools `block`, `recall`, `search` and `semantic_search`, which work on labelled blocks of text.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const registry = new ToolRegistry();
 * registry.registerMany(blockTools({ memory: store.memory }));
 * registry.list().map(({ name }) => name); // → ["block", "recall", "search", "semantic_search"]
 * ```
 */
export function blockTools(services: BlockServices): readonly Tool[] {
  return [blockTool(services), recallTool(services), searchTool(services), semanticSearchTool(services)];
}

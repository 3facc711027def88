import { selectionToolNames, type ToolRegistry } from "../../kernel/index.ts";
import { estimateTokens } from "../../search/index.ts";
import { findKnownTokens } from "../deferred-tools.ts";

/** The tools of a registry, and their definitions. */
export type DefinedTools = Pick<ToolRegistry, "get" | "toLLMTool">;

/**
 * What a client puts before its model of each of these tools, in tokens; those that only lead to others cost every list
 * the same and are not counted. An estimate: a tokenizer takes longer than the rest of the start. Of tools that ship it is
 * in the catalogue.
 */
export function definitionTokens(registry: DefinedTools, name: string): number {
  if (selectionToolNames.includes(name)) return 0;
  const tool = registry.get(name);
  const known = tool === undefined ? undefined : findKnownTokens(tool);
  if (known !== undefined) return known;
  const definition = registry.toLLMTool(name, "mcp");
  if (definition === undefined) return 0;
  const { description, inputSchema } = definition;
  return estimateTokens(JSON.stringify({ name, description, inputSchema }));
}

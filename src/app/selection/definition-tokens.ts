import { selectionToolNames, type ToolRegistry } from "../../kernel/index.ts";
import { estimateTokens } from "../../search/index.ts";

/**
 * What a client puts before its model of each of these tools, in tokens; those that only lead to others cost every list
 * the same and are not counted. An estimate: a tokenizer takes longer than the rest of the start.
 */
export function definitionTokens(registry: Pick<ToolRegistry, "toLLMTool">, name: string): number {
  const definition = selectionToolNames.includes(name) ? undefined : registry.toLLMTool(name, "mcp");
  if (definition === undefined) return 0;
  const { description, inputSchema } = definition;
  return estimateTokens(JSON.stringify({ name, description, inputSchema }));
}

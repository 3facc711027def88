import type { Tool, ToolRegistry } from "../kernel/index.ts";

/** The tool of the name that a model called, which may be an alias. */
export function findTool(tools: Pick<ToolRegistry, "get" | "resolveName">, name: string): Tool | undefined {
  return tools.get(tools.resolveName(name));
}

import type { Tool } from "../tool.ts";

const serverOrigin = "mcp:";

/** The pack that a tool is in: the one it names, its MCP server, or its category. */
export function packOf({ pack, origin, category }: Pick<Tool, "pack" | "origin" | "category">): string {
  if (pack !== undefined) return pack;
  return origin?.startsWith(serverOrigin) === true ? origin.slice(serverOrigin.length) : category;
}

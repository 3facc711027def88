import type { ToolInfo } from "../tool/tool-info.ts";
import { knownPacks } from "./known-packs.ts";

const serverOrigin = "mcp:";
const ours: ReadonlySet<string> = new Set(knownPacks.map(({ name }) => name));

type Placed = Pick<ToolInfo, "pack" | "origin" | "category">;

/**
 * Says which pack a tool is in: the one that it names, else its MCP server, else its category. A server that is called
 * as a pack of haft's own becomes `mcp:NAME`.
 *
 * @example
 * ```ts
 * getPackName({ category: "file", pack: "notes" }); // → "notes"
 * getPackName({ category: "custom", origin: "mcp:github" }); // → "github"
 * ```
 */
export function getPackName(tool: Placed): string {
  const called = getCalledPackName(tool);
  return getServerName(tool) !== undefined && ours.has(called) ? serverOrigin + called : called;
}

/** The pack's name as the names of its tools begin, where they do: without `mcp:`. */
export function getCalledPackName(tool: Placed): string {
  return tool.pack ?? getServerName(tool) ?? tool.category;
}

/** The MCP server that a tool comes from. */
export function getServerName({ origin }: Pick<ToolInfo, "origin">): string | undefined {
  return origin?.startsWith(serverOrigin) === true ? origin.slice(serverOrigin.length) : undefined;
}

import type { ToolInfo } from "../tool/tool-info.ts";
import { knownPacks } from "./known-packs.ts";

const serverOrigin = "mcp:";
const ours: ReadonlySet<string> = new Set(knownPacks.map(({ name }) => name));

type Placed = Pick<ToolInfo, "pack" | "origin" | "category">;

/**
 * The pack that a tool is in: the one it names, its MCP server, or its category. A server with the name of one of ours is
 * `mcp:NAME`: it shares neither our tools nor what we say of them.
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

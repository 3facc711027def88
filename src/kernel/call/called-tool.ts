import { ToolError } from "../errors.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import type { NamedCall, Tool, ToolVersions } from "../tool/tool.ts";
import { splitVersion } from "../tool/versions.ts";
import type { CallContext } from "./context.ts";

/** A call of a call of a call is somebody's joke. */
const mostLayers = 4;

/**
 * The call that is meant: by the tool's own name where it was called by an alias; where a tool only stands for a call
 * of another, as `call_tool` does, that one. What is left wrapped after four layers stays so, and is refused for its arguments.
 */
export function unwrapCall(
  registry: Pick<ToolRegistry, "get" | "resolveName">,
  name: string,
  params: unknown,
): NamedCall {
  let call: NamedCall = { name: registry.resolveName(name), params };
  for (let layer = 0; layer < mostLayers; layer++) {
    const inner = unwrappedBy(registry.get(call.name), call.params);
    if (inner === undefined) return call;
    call = { ...call, ...inner, name: registry.resolveName(inner.name) };
  }
  return call;
}

/** Arguments that can't be read name no call. */
function unwrappedBy(tool: Tool | undefined, params: unknown): NamedCall | undefined {
  try {
    return tool?.unwrap?.(params);
  } catch {
    return undefined;
  }
}

/** What a call is of: the tool as rules and people name it, and where the registry has the version that it gets. */
export interface CalledTool {
  readonly toolName: string;
  readonly entryName: string;
}

/** Calls of one task, or else of one session, that name no version all get the same. */
export function calledTool(
  registry: Pick<ToolRegistry, "get">,
  given: string,
  { taskId, origin }: CallContext,
  callId: string,
): CalledTool {
  const tool = registry.get(given);
  if (tool?.name === given && tool.versions === undefined) return { toolName: given, entryName: given };
  const { name: toolName, version } = splitVersion(given);
  const versions = registry.get(toolName)?.versions;
  if (version !== undefined || versions === undefined) return { toolName, entryName: given };
  const chosen = byShare(versions, `${toolName} ${taskId ?? origin?.session ?? callId}`);
  return { toolName, entryName: `${toolName}@${chosen}` };
}

/** @throws {ToolError} TOOL_NOT_FOUND */
export function findVersion(registry: Pick<ToolRegistry, "get">, { toolName, entryName }: CalledTool): Tool {
  const found = registry.get(entryName);
  if (found !== undefined) return found;
  const tool = registry.get(toolName);
  const there =
    tool?.versions === undefined ? [tool?.version ?? "none"] : Array.from(tool.versions.all.keys());
  throw new ToolError(
    toolName,
    "TOOL_NOT_FOUND",
    `Cannot find "${entryName}": of "${toolName}" there ${there.length > 1 ? "are versions" : "is version"} ${there.join(", ")}`,
    { details: { versions: there } },
  );
}

function byShare({ shares }: ToolVersions, key: string): string {
  let total = 0;
  for (const share of shares.values()) total += share;
  let left = hashText(key) * total;
  let chosen = "";
  for (const [version, share] of shares) {
    chosen = version;
    left -= share;
    if (left < 0) break;
  }
  return chosen;
}

/** A number from 0 to 1, the same for the same text: FNV-1a, its bits mixed as MurmurHash3 ends. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

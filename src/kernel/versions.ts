import { canonicalJson } from "../base/index.ts";
import type { CallContext } from "./context.ts";
import { ToolError } from "./errors.ts";
import type { ToolRegistry } from "./registry.ts";
import { toJsonSchema } from "./schema.ts";
import type { Tool } from "./tool.ts";

/** Several versions of one tool, side by side: the one that is shown, and all of them by their names. */
export interface ToolVersions {
  readonly all: ReadonlyMap<string, Tool>;
  /** Of the calls that name no version: how many parts of all go to which. */
  readonly shares: ReadonlyMap<string, number>;
}

/** Which version a call gets that names none: always this one, or each so many parts of all calls. */
export type VersionChoice = string | Readonly<Record<string, number>>;

/**
 * Makes one tool of several versions of it. A call of `name@version` gets that one; the others go by `choice`. An
 * interaction that got one version stays with it. What is shown is the version with the largest share.
 *
 * @param versions by the names that calls give them; of a list, by the tools' own versions
 * @param choice @default the last version
 * @throws {ToolError} TOOL_INVALID for tools of different names, a version twice or unknown, and for shares of versions
 * that take different arguments: whoever calls knows only one of them.
 */
export function withVersions(
  versions: ReadonlyMap<string, Tool> | readonly Tool[],
  choice?: VersionChoice,
): Tool {
  const all = versions instanceof Map ? versions : byOwnVersion(versions as readonly Tool[]);
  const last = Array.from(all).at(-1);
  if (last === undefined) throw new TypeError("Cannot make one tool of no versions: give one at least");
  const [newest, { name }] = last;
  for (const tool of all.values())
    if (tool.name !== name) throw invalid(name, `"${tool.name}" is another tool`);
  const shares = sharesOf(name, all, choice ?? newest);
  checkSame(
    name,
    Array.from(shares.keys(), (version) => all.get(version) as Tool),
  );
  return { ...leadingOf({ all, shares }), versions: { all, shares } };
}

function byOwnVersion(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const all = new Map<string, Tool>();
  for (const tool of tools) {
    if (all.has(tool.version)) throw invalid(tool.name, `two have the version "${tool.version}"`);
    all.set(tool.version, tool);
  }
  return all;
}

/** A name as a caller gives it: of a tool, or of one version of it. */
export function splitVersion(name: string): { readonly name: string; readonly version: string | undefined } {
  const at = name.indexOf("@");
  return at < 1 ? { name, version: undefined } : { name: name.slice(0, at), version: name.slice(at + 1) };
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
  const { name: toolName, version } = splitVersion(given);
  const versions = registry.get(toolName)?.versions;
  if (version !== undefined || versions === undefined) return { toolName, entryName: given };
  const chosen = byShare(versions, `${toolName} ${taskId ?? origin?.session ?? callId}`);
  return { toolName, entryName: `${toolName}@${chosen}` };
}

/** @throws {ToolError} TOOL_NOT_FOUND */
export function findVersion(
  registry: Pick<ToolRegistry, "get">,
  { toolName, entryName }: CalledTool,
  tool: Tool,
): Tool {
  if (entryName === toolName) return tool;
  const found = registry.get(entryName);
  if (found !== undefined) return found;
  const there = tool.versions === undefined ? [tool.version] : Array.from(tool.versions.all.keys());
  throw new ToolError(
    toolName,
    "TOOL_NOT_FOUND",
    `Cannot find "${entryName}": of "${toolName}" there ${there.length > 1 ? "are versions" : "is version"} ${there.join(", ")}`,
    { details: { versions: there } },
  );
}

function sharesOf(name: string, all: ToolVersions["all"], choice: VersionChoice): Map<string, number> {
  const entries = typeof choice === "string" ? [[choice, 1] as const] : Object.entries(choice);
  for (const [version, share] of entries) {
    if (!all.has(version))
      throw invalid(name, `there is no version "${version}"; there are ${Array.from(all.keys()).join(", ")}`);
    if (!(Number.isFinite(share) && share >= 0))
      throw invalid(name, `${share} is no share; give 0 or more parts`);
  }
  const shares = new Map(entries.filter(([, share]) => share > 0));
  if (shares.size === 0) throw invalid(name, "no version has a share; give one to one of them at least");
  return shares;
}

function checkSame(name: string, tools: readonly Tool[]): void {
  const forms = new Set(
    tools.length > 1 ? tools.map(({ parameters }) => canonicalJson(toJsonSchema(parameters))) : [],
  );
  if (forms.size > 1)
    throw invalid(
      name,
      "they take different arguments; give all calls to one, and call the others by name@version",
    );
}

function leadingOf({ all, shares }: ToolVersions): Tool {
  let leading: string | undefined;
  for (const [version, share] of shares)
    if (leading === undefined || share > (shares.get(leading) as number)) leading = version;
  return all.get(leading as string) as Tool;
}

function byShare({ shares }: ToolVersions, key: string): string {
  let total = 0;
  for (const share of shares.values()) total += share;
  let left = hashOf(key) * total;
  let chosen = "";
  for (const [version, share] of shares) {
    chosen = version;
    left -= share;
    if (left < 0) break;
  }
  return chosen;
}

/** From 0 to 1, the same for the same text: FNV-1a, its bits mixed as MurmurHash3 ends. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

function invalid(name: string, why: string): ToolError {
  return new ToolError(name, "TOOL_INVALID", `Cannot keep versions of "${name}" side by side: ${why}`);
}

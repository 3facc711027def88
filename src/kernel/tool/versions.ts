import { canonicalJson } from "../../base/index.ts";
import { ToolError } from "../errors.ts";
import { toJsonSchema } from "./schema.ts";
import type { Tool, ToolVersions } from "./tool.ts";

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
 *
 * @example
 * ```ts
 * const say = (version: string) =>
 *   defineTool({
 *     name: "say",
 *     version,
 *     description: "Say something.",
 *     parameters: z.object({}),
 *     annotations: { readOnly: true, openWorld: false },
 *     execute: () => version,
 *   });
 * const registry = new ToolRegistry();
 * registry.register(withVersions([say("1"), say("2")], "2"));
 * const executor = new ToolExecutor(registry);
 * (await executor.run("say", {})).text; // → "2"
 * (await executor.run("say@1", {})).text; // → "1"
 * ```
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
  const shares = computeShares(name, all, choice ?? newest);
  checkSame(
    name,
    Array.from(shares.keys(), (version) => all.get(version) as Tool),
  );
  return { ...findLeading({ all, shares }), versions: { all, shares } };
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

function computeShares(name: string, all: ToolVersions["all"], choice: VersionChoice): Map<string, number> {
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

function findLeading({ all, shares }: ToolVersions): Tool {
  let leading: string | undefined;
  for (const [version, share] of shares)
    if (leading === undefined || share > (shares.get(leading) as number)) leading = version;
  return all.get(leading as string) as Tool;
}

function invalid(name: string, why: string): ToolError {
  return new ToolError(name, "TOOL_INVALID", `Cannot keep versions of "${name}" side by side: ${why}`);
}

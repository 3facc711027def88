import { z } from "zod";
import { nearestNames } from "../../../base/index.ts";
import { defineTool, getPackName, type Tool, type ToolInfo } from "../../../kernel/index.ts";
import { findCategory, listCategories } from "./categories.ts";
import { SelectionError } from "./errors.ts";
import { handleParameter, readOnly } from "./parameters.ts";
import type { SelectionServices } from "./services.ts";
import { findView, type View } from "./view.ts";

const parameters = z
  .strictObject({
    category: z.string().optional().describe("A category of browse_tools: shows all its tools"),
    tool: z
      .union([z.string(), z.array(z.string()).min(1).max(100)])
      .optional()
      .describe("The name of one tool, or a list of names"),
    toolset: handleParameter,
  })
  .refine(({ category, tool }) => (category === undefined) !== (tool === undefined), {
    message: 'give either "category" or "tool"',
  });

interface Loaded {
  readonly loaded: string;
  readonly tools_added: readonly string[];
  readonly message: string;
}

export function loadToolsTool({ packs }: Pick<SelectionServices, "packs">): Tool {
  return defineTool({
    name: "load_tools",
    title: "Load tools",
    description:
      "Show more tools, from your next turn on: a whole category, or single ones by name. Prefer the few that you need. " +
      "They stay until the end of this interaction; loading them again changes nothing.",
    category: "system",
    parameters,
    annotations: readOnly,
    execute({ category, tool, toolset: handle }, context) {
      const view = findView(context, handle);
      const answer =
        category === undefined ? loadTools([tool ?? []].flat(), view) : loadCategory(category, view, packs);
      if (handle === undefined && !view.interaction.passing)
        return { ...answer, ...beforeListed(answer.tools_added, view) };
      const how = "; call them with call_tool, describe_tools with this toolset has their parameters";
      return {
        ...answer,
        message: answer.message.replace(/\.$/, `${how}.`),
        toolset: view.interaction.handle,
      };
    },
  });
}

/** How to call the added tools where the client shows its former list: many fetch it again late, or never. */
function beforeListed([first]: readonly string[], { toolset }: View): { readonly until_listed?: string } {
  if (first === undefined || !toolset.of("call_tool").callable.is) return {};
  return {
    until_listed: `If your list does not have ${first} yet, call it with call_tool {"name": "${first}", "arguments": {…}}; describe_tools has its parameters.`,
  };
}

function loadCategory(
  wanted: string,
  { interaction, loadable }: View,
  packs: SelectionServices["packs"],
): Loaded {
  const { name, tools } = findCategory(wanted, listCategories(loadable, packs), loadable);
  const added = interaction.loadPack(name);
  return { loaded: name, tools_added: added, message: categoryMessage(name, tools.length, added.length) };
}

function categoryMessage(name: string, all: number, added: number): string {
  const tools = all === 1 ? `${name} tool` : `${name} tools`;
  const are = all === 1 ? "is" : "are";
  if (added === 0) return `Nothing to add: ${all} ${tools} ${are} available already.`;
  const before = added === all ? "" : `, ${all - added} of them already before`;
  return `${all} ${tools} ${are} now available${before}.`;
}

function loadTools(wanted: readonly string[], view: View): Loaded {
  const names = Array.from(new Set(wanted));
  const { interaction, loadable } = view;
  const known = new Set(loadable.map(({ name }) => name));
  const missing = names.find((name) => !known.has(name));
  if (missing !== undefined) throw notLoaded(missing, view);
  const added = interaction.load(names);
  return { loaded: names.join(", "), tools_added: added, message: toolsMessage(names, added) };
}

function toolsMessage(names: readonly string[], added: readonly string[]): string {
  const [first] = names;
  if (names.length === 1)
    return added.length === 0
      ? `Nothing to add: ${first} is available already.`
      : `${first} is now available.`;
  if (added.length === 0) return `Nothing to add: all ${names.length} are available already.`;
  const before = names.length - added.length;
  return `${names.length} tools are now available${before === 0 ? "" : `, ${before} of them already before`}.`;
}

/** Nothing was loaded: the caller asks again with names that are there. */
function notLoaded(name: string, { toolset, loadable }: View): SelectionError {
  const nearest = nearestNames(
    name,
    loadable.map((tool) => tool.name),
  );
  const { tool, shown } = toolset.of(name);
  const why =
    tool === undefined
      ? "there is no tool of this name"
      : shown.reasons.map(({ message }) => message).join(", and ");
  return new SelectionError(
    "TOOL_NOT_LOADED",
    `Cannot load "${name}": ${why}; ${hintFor(name, nearest, loadable)}`,
    {
      details: { nearest },
    },
  );
}

function hintFor(name: string, nearest: readonly string[], loadable: readonly ToolInfo[]): string {
  if (loadable.some((tool) => getPackName(tool) === name))
    return `for the category of this name use load_tools ${JSON.stringify({ category: name })}`;
  if (nearest.length > 0) return `use ${nearest.map((near) => `"${near}"`).join(" or ")}`;
  return "search_tools finds tools for a goal, browse_tools lists the categories";
}

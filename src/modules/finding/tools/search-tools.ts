import { z } from "zod";
import { cutHead } from "../../../base/index.ts";
import {
  defineTool,
  foundForm,
  selectionToolNames,
  type Tool,
  type ToolContext,
} from "../../../kernel/index.ts";
import { handleParameter, readOnly } from "./parameters.ts";
import type { FoundTool, SelectionServices } from "./services.ts";
import { findView, type View } from "./view.ts";

const parameters = z.strictObject({
  goal: z.string().min(1).describe("What you want to do, in a sentence: what with, and to what end"),
  limit: z.int().min(1).max(20).default(5).describe("Tools at most"),
  toolset: handleParameter,
});

const mostGoalChars = 2000;

type Services = Pick<SelectionServices, "search" | "registry" | "goals">;

export function searchToolsTool({ search, registry, goals }: Services): Tool {
  return defineTool({
    name: "search_tools",
    title: "Search for tools",
    description:
      "Find the tools for a goal, the best first, with their parameters. Use it before you say that something can't be " +
      "done, and before you work around a missing tool; not for what your tools already do.",
    category: "system",
    parameters,
    annotations: readOnly,
    async execute({ goal, limit, toolset: handle }, context) {
      const view = findView(context, handle);
      const { scope, signal } = context;
      const { found, note } = await search.search(cutHead(goal, mostGoalChars), {
        limit: limit + selectionToolNames.length,
        toolset: view.toolset,
        scope,
        signal,
      });
      const fitting = withinLimit(found, limit);
      const names = fitting.map(({ tool }) => tool.name);
      goals?.found(context, goal, names);
      const tools = fitting.map(({ tool, neededBy }) => ({
        ...foundForm(tool, registry.getSchema(tool.name)),
        ...(neededBy !== undefined && { needed_by: neededBy }),
        ...(view.listed.has(tool.name) && { loaded: true }),
      }));
      return {
        tools,
        message: messageFor(names, view, context),
        ...(note !== undefined && { note }),
      };
    },
  });
}

/** So many of the best, and what they need beside. */
function withinLimit(found: readonly FoundTool[], limit: number): readonly FoundTool[] {
  const others = found.filter(({ tool }) => !selectionToolNames.includes(tool.name));
  const best = others.filter(({ neededBy }) => neededBy === undefined).slice(0, limit);
  const kept = new Set(best.map(({ tool }) => tool.name));
  return others
    .filter(({ tool, neededBy }) => {
      if (neededBy !== undefined && kept.has(neededBy)) kept.add(tool.name);
      return kept.has(tool.name);
    })
    .slice(0, 2 * limit);
}

function messageFor(names: readonly string[], view: View, { toolset }: ToolContext): string {
  if (names.length === 0)
    return "No tool fits this goal; say it in other words, or see the categories with browse_tools.";
  const hidden = names.filter((name) => !view.listed.has(name));
  const [first] = hidden;
  if (first === undefined) return "Call them by name.";
  const ways: string[] = [];
  if (toolset.of(first).callable.is && toolset.of("call_tool").allowed.is)
    ways.push(`call_tool {"name": "${first}", "arguments": {…}} calls one now`);
  const loadable = hidden.find((name) => view.toolset.of(name).shown.is);
  if (loadable !== undefined && !view.interaction.passing && toolset.of("load_tools").allowed.is)
    ways.push(`load_tools ${JSON.stringify({ tool: loadable })} shows it from your next turn on`);
  if (hidden.length < names.length) ways.unshift('Those with "loaded" you call by name');
  return ways.length === 0 ? "You can call none of them here." : `${ways.join("; ")}.`;
}

import { z } from "zod";
import { nearestNames } from "../../../base/index.ts";
import {
  defineTool,
  getPackName,
  type JsonSchema,
  type Tool,
  type ToolInfo,
  ToolInteraction,
} from "../../../kernel/index.ts";
import { handleParameter, readOnly } from "./parameters.ts";
import type { SelectionServices } from "./services.ts";
import { findView, type View } from "./view.ts";

const parameters = z
  .strictObject({
    names: z.array(z.string()).max(50).default([]).describe("Names of tools"),
    toolset: handleParameter,
  })
  .refine(({ names, toolset }) => names.length > 0 || toolset !== undefined, {
    message: 'give "names", or a "toolset" to have all that it loaded',
    path: ["names"],
  });

/** Whole definitions up to here; the rest is named, to be asked for by itself. */
const mostChars = 20_000;

export function describeToolsTool({ registry }: Pick<SelectionServices, "registry">): Tool {
  return defineTool({
    name: "describe_tools",
    title: "Describe tools",
    description:
      "The full description and the JSON Schema of the parameters of tools, by name. Use it before call_tool, for tools " +
      "whose parameters search_tools does not say well enough; not for tools that you are shown anyway.",
    category: "system",
    parameters,
    annotations: readOnly,
    execute({ names, toolset: handle }, context) {
      const view = findView(context, handle);
      const loaded = names.length > 0 ? [] : loadedBy(handle ?? "", view);
      const answer = new Definitions();
      const unknown: { readonly name: string; readonly message: string }[] = [];
      for (const name of new Set([...names, ...loaded])) {
        const schema = registry.getSchema(name);
        const { tool, allowed } = view.toolset.of(name);
        if (tool === undefined || !allowed.is || schema === undefined)
          unknown.push({ name, message: whyUnknown(name, view) });
        else answer.add(tool, schema);
      }
      return {
        tools: answer.tools,
        ...(unknown.length > 0 && { unknown }),
        ...(answer.left.length > 0 && {
          left_out: answer.left,
          message: "For those in left_out call describe_tools again with their names.",
        }),
      };
    },
  });
}

function loadedBy(handle: string, { toolset }: View): string[] {
  return ToolInteraction.from(handle, { toolset: () => toolset }).shown.map(({ name }) => name);
}

class Definitions {
  readonly tools: object[] = [];
  readonly left: string[] = [];
  #chars = 0;

  /** The first is taken whatever its size: what is over the bound of an output is kept apart. */
  add(tool: ToolInfo, schema: JsonSchema): void {
    const { name, description, annotations } = tool;
    const { $schema: _dialect, ...parameters } = schema;
    const definition = { name, description, category: getPackName(tool), annotations, parameters };
    const chars = JSON.stringify(definition).length;
    if (this.tools.length > 0 && this.#chars + chars > mostChars) {
      this.left.push(name);
      return;
    }
    this.#chars += chars;
    this.tools.push(definition);
  }
}

function whyUnknown(name: string, { toolset }: View): string {
  const { tool, callable, allowed } = toolset.of(name);
  if (tool !== undefined) {
    const inTheWay = [callable, allowed].flatMap(({ is, reasons }) => (is ? [] : reasons));
    return inTheWay.map(({ message }) => message).join(", and ");
  }
  const nearest = nearestNames(
    name,
    toolset.usable().map((one) => one.name),
  );
  return nearest.length === 0
    ? "there is no tool of this name; search_tools finds tools for a goal"
    : `there is no tool of this name; nearest: ${nearest.join(", ")}`;
}

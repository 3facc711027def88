import { nearestNames } from "../../base/index.ts";
import { defineTool, type Tool, ToolError } from "../../kernel/index.ts";
import type { MarkdownTool } from "./markdown-tool.ts";

const docsToolName = "tool_docs";

/** A page of this length costs a model little; a longer one is loaded when it is wanted. */
const mostShortChars = 600;

/** What the model is told of a tool at once: with its page where that is short, else with the way to it. */
export function describeWithDocs({ tool, body }: Pick<MarkdownTool, "tool" | "body">): string {
  const { description, id } = tool;
  if (body === "") return description;
  if (!hasLongDocs({ body })) return `${description}\n\n${body}`;
  return `${description}\n\nMore about it: ${docsToolName} {"name":"${id}"}`;
}

export function hasLongDocs({ body }: Pick<MarkdownTool, "body">): boolean {
  return body.length > mostShortChars;
}

/** Reads the pages of the tools that have long ones. */
export function docsTool(tools: readonly MarkdownTool[]): Tool {
  const pages = new Map(tools.map(({ tool, body }) => [tool.id, body]));
  return defineTool({
    name: docsToolName,
    title: "Read about a tool",
    description:
      "Return the page that explains one of the tools of this project: how to use it, and what to mind.",
    category: "system",
    pack: "markdown",
    origin: "haft",
    version: "1",
    parameters: {
      type: "object",
      properties: { name: { type: "string", description: "The tool's name" } },
      required: ["name"],
      additionalProperties: false,
    } as const,
    annotations: { readOnly: true, openWorld: false },
    execute: ({ name }) => {
      const page = pages.get(name);
      if (page !== undefined) return page;
      const nearest = nearestNames(name, pages.keys());
      const hint =
        nearest.length > 0
          ? `did you mean ${nearest.join(" or ")}`
          : `there are ${[...pages.keys()].join(", ")}`;
      throw new ToolError(docsToolName, "TOOL_NOT_FOUND", `Cannot find a page about "${name}"; ${hint}`);
    },
  });
}

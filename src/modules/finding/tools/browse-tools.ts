import { z } from "zod";
import { defineTool, firstSentence, type Tool } from "../../../kernel/index.ts";
import { findCategory, listCategories } from "./categories.ts";
import { readOnly } from "./parameters.ts";
import type { SelectionServices } from "./services.ts";
import { findView } from "./view.ts";

const parameters = z.strictObject({
  category: z.string().optional().describe("List the tools of this one"),
});

// More are found faster by a search than by reading.
const mostListed = 100;

export function browseToolsTool({ packs }: Pick<SelectionServices, "packs">): Tool {
  return defineTool({
    name: "browse_tools",
    title: "Browse the tools",
    description:
      "List the categories of further tools, or the tools of one category. Use it to see what there is; " +
      "where you know what you want to do, search_tools is faster. Show what you need with load_tools.",
    category: "system",
    parameters,
    annotations: readOnly,
    execute({ category }, context) {
      const { toolset, loadable } = findView(context);
      const categories = listCategories(loadable, packs);
      if (category === undefined) {
        return {
          categories: categories.map(({ name, description, tools }) => ({
            name,
            description,
            tool_count: tools.length,
          })),
        };
      }
      const found = findCategory(category, categories, loadable);
      const left = found.tools.length - mostListed;
      return {
        category: found.name,
        description: found.description,
        tools: found.tools.slice(0, mostListed).map((name) => ({
          name,
          description: firstSentence(toolset.of(name).tool?.description ?? ""),
        })),
        ...(left > 0 && { message: `${left} more are not listed; search_tools finds them` }),
      };
    },
  });
}

import type { Tool } from "../../../kernel/index.ts";
import { browseToolsTool } from "./browse-tools.ts";
import { callToolTool } from "./call-tool.ts";
import { describeToolsTool } from "./describe-tools.ts";
import { loadToolsTool } from "./load-tools.ts";
import { searchToolsTool } from "./search-tools.ts";
import type { SelectionServices } from "./services.ts";

/** `browse_tools`, `load_tools`, `search_tools`, `describe_tools`, `call_tool`. */
export function selectionTools(services: SelectionServices): Tool[] {
  return [
    browseToolsTool(services),
    loadToolsTool(services),
    searchToolsTool(services),
    describeToolsTool(services),
    callToolTool(),
  ];
}

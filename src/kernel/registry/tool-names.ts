/** The tools that lead to other tools. They are always shown, and nobody needs to find them. */
export const selectionToolNames: readonly string[] = [
  "browse_tools",
  "load_tools",
  "search_tools",
  "describe_tools",
  "call_tool",
];

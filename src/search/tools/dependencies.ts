import type { ToolInfo } from "../../kernel/index.ts";

/** A tool that another one needs: its results are that one's arguments. */
export interface NeededTool {
  readonly tool: ToolInfo;
  /** The name of the tool that needs it. */
  readonly neededBy: string;
}

/**
 * What the tools depend on, and what that depends on, nearest first and each once: none of `tools` itself.
 *
 * @param find a tool by name; undefined leaves it out, with what only it needs
 */
export function findDependencies(
  tools: readonly ToolInfo[],
  find: (name: string) => ToolInfo | undefined,
  limit: number,
): NeededTool[] {
  const seen = new Set(tools.map(({ name }) => name));
  const pending = [...tools];
  const needed: NeededTool[] = [];
  for (const { name: neededBy, dependsOn = [] } of pending) {
    for (const name of dependsOn) {
      if (needed.length >= limit) return needed;
      if (seen.has(name)) continue;
      seen.add(name);
      const tool = find(name);
      if (tool === undefined) continue;
      needed.push({ tool, neededBy });
      pending.push(tool);
    }
  }
  return needed;
}

import type { Speaker, ToolInfo, ToolRegistry, ToolView } from "../../../kernel/index.ts";

/** A tool that serves a goal, or that such a tool needs. */
export interface FoundTool {
  readonly tool: ToolInfo;
  readonly neededBy?: string | undefined;
}

/** The part of the search that the tools use. */
export interface ToolFinder {
  search(
    goal: string,
    options: {
      readonly limit: number;
      readonly toolset: Pick<ToolView, "usable">;
      readonly scope: string;
      readonly signal: AbortSignal;
    },
  ): Promise<{
    /** The best first, each followed by what it needs; none where nothing fits. */
    readonly found: readonly FoundTool[];
    /** What the caller should know of how it was found. */
    readonly note?: string | undefined;
  }>;
}

/** The part of the packs that the tools use. */
export interface PackList {
  /** Those that have tools of this caller. */
  list(toolset: Pick<ToolView, "usable">): readonly {
    readonly name: string;
    readonly description: string;
    /** Names. */
    readonly tools: readonly string[];
  }[];
}

/** What the tools for finding tools work with. */
export interface SelectionServices {
  readonly search: ToolFinder;
  readonly packs: PackList;
  readonly registry: Pick<ToolRegistry, "getSchema">;
  /** Told of what was found, so that the call that follows teaches the search. @default nobody */
  readonly goals?: { found(speaker: Speaker, goal: string, toolNames: readonly string[]): void } | undefined;
}

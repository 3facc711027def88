import { compileGlob, nearestNames } from "../../base/index.ts";
import type { Tool, ToolLimits } from "../../kernel/index.ts";
import { listNamedTools } from "../packs/tool-packs.ts";

/** An entry of a list that names no tool: a slip of the pen, or a tool that has gone. */
export interface StrayEntry {
  readonly entry: string;
  /** `blockedTools of the agent "architect"`. */
  readonly list: string;
  readonly place: string | undefined;
  readonly nearest: readonly string[];
}

/** The pins that name none of the tools there are. */
export function strayPins(pinned: readonly string[], tools: readonly Tool[]): StrayEntry[] {
  return strays(pinned, tools).map((stray) => ({
    ...stray,
    list: "tools.pinned",
    place: "the configuration",
  }));
}

/** The entries that name none of the tools there are. A ban that holds for nothing looks just like one that holds. */
export function strayEntries(limits: readonly ToolLimits[], tools: readonly Tool[]): StrayEntry[] {
  const written = limits.filter(({ blocks }) => blocks === undefined);
  return written.flatMap(({ by, place, allowedTools = [], blockedTools = [] }) =>
    Object.entries({ allowedTools, blockedTools }).flatMap(([key, entries]) =>
      strays(entries, tools).map((stray) => ({ ...stray, list: `${key} of ${by}`, place })),
    ),
  );
}

function strays(entries: readonly string[], tools: readonly Tool[]): Pick<StrayEntry, "entry" | "nearest">[] {
  const names = tools.map(({ name }) => name);
  return listNamedTools(entries)
    .filter((entry) => !names.some(compileGlob(entry)))
    .map((entry) => ({ entry, nearest: nearestNames(entry, names) }));
}

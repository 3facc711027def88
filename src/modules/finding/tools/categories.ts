import { nearestNames } from "../../../base/index.ts";
import { selectionToolNames, type ToolInfo } from "../../../kernel/index.ts";
import { SelectionError } from "./errors.ts";
import type { PackList } from "./services.ts";

/** A pack that has tools for a caller. */
export type Category = ReturnType<PackList["list"]>[number];

/** Those of the tools that can be loaded; what leads to them is in none. */
export function listCategories(loadable: readonly ToolInfo[], packs: PackList): Category[] {
  return packs.list({ usable: () => loadable }).flatMap((pack) => {
    const tools = pack.tools.filter((name) => !selectionToolNames.includes(name));
    return tools.length === 0 ? [] : [{ ...pack, tools }];
  });
}

/**
 * The category that a caller names, in whatever case.
 *
 * @throws {SelectionError} CATEGORY_NOT_FOUND
 */
export function findCategory(
  wanted: string,
  categories: readonly Category[],
  tools: readonly ToolInfo[],
): Category {
  const folded = wanted.trim().toLowerCase();
  const found =
    categories.find(({ name }) => name === wanted) ??
    categories.find(({ name }) => name.toLowerCase() === folded);
  if (found !== undefined) return found;
  const names = categories.map(({ name }) => name);
  const nearest = nearestNames(wanted, names);
  throw new SelectionError(
    "CATEGORY_NOT_FOUND",
    `Cannot find a category "${wanted}": ${hintFor(wanted, { nearest, names, tools })}`,
    { details: { nearest } },
  );
}

interface Known {
  readonly nearest: readonly string[];
  readonly names: readonly string[];
  readonly tools: readonly ToolInfo[];
}

const mostNamed = 12;

function hintFor(wanted: string, { nearest, names, tools }: Known): string {
  if (tools.some(({ name }) => name === wanted))
    return `that is a tool; use load_tools ${JSON.stringify({ tool: wanted })}`;
  if (nearest.length > 0) return `use ${quoted(nearest, " or ")}; browse_tools lists all of them`;
  if (names.length === 0) return "there is none that you may use";
  const more = names.length > mostNamed ? ", …; browse_tools lists all of them" : "";
  return `use one of ${quoted(names.slice(0, mostNamed), ", ")}${more}`;
}

function quoted(names: readonly string[], between: string): string {
  return names.map((name) => `"${name}"`).join(between);
}

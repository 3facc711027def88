import { invalid } from "../entries/checked-entry.ts";
import type { MemorySearch } from "../memory-store.ts";

/** A query of more characters is no question but a text; its beginning says what it is about. */
const longestQuery = 4000;

type Defaults =
  | "limit"
  | "offset"
  | "order"
  | "mode"
  | "window"
  | "timePhrases"
  | "hops"
  | "onlyRelevant"
  | "userTurns";
export type CheckedSearch = MemorySearch & Required<Pick<MemorySearch, Defaults>>;

/**
 * The search with its defaults.
 * @throws {MemoryError} MEMORY_INVALID
 */
export function checkedSearch(search: MemorySearch): CheckedSearch {
  const { limit = 10, offset = 0, window = 0, hops = 1, userTurns = 1.5 } = search;
  check("limit", limit, 1, 100);
  check("offset", offset, 0, 10_000);
  check("window", window, 0, 5);
  check("hops", hops, 0, 1);
  if (!(userTurns > 0 && userTurns <= 10)) throw invalid("userTurns", "it is a number above 0, up to 10");
  return {
    ...search,
    query: search.query.slice(0, longestQuery),
    limit,
    offset,
    window,
    hops,
    userTurns,
    order: search.order ?? "relevance",
    mode: search.mode ?? "auto",
    timePhrases: search.timePhrases ?? true,
    onlyRelevant: search.onlyRelevant ?? false,
  };
}

function check(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw invalid(name, `it is a whole number from ${least} to ${most.toLocaleString("en")}`);
}

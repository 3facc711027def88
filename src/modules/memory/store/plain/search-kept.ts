import type { MemoryHits, MemorySearch } from "../memory-store.ts";
import type { KeptEntry } from "./kept-entry.ts";

/**
 * What the scope sees of these entries, found by names and words: each of them is read, so a scope should have
 * thousands of them and not more. The code of the search is loaded with the first.
 *
 * @throws {MemoryError} MEMORY_INVALID
 *
 * @example
 * ```ts
 * const author = { by: "owner:ada" };
 * const texts = ["Buy milk.", "Call Bob."];
 * const all = texts.map((text, at) =>
 *   keepEntry({ kind: "memory", text }, { seq: at, scope: "local", author, at }),
 * );
 * const { hits } = await searchKept("local", all, { query: "milk" }, 10);
 * hits.map(({ entry }) => entry.text); // → ["Buy milk."]
 * ```
 */
export async function searchKept(
  scope: string,
  all: readonly KeptEntry[],
  wanted: MemorySearch,
  now: number,
): Promise<MemoryHits> {
  const { rankKept } = await import("./rank-kept.ts");
  return rankKept(scope, all, wanted, now);
}

import type { MemoryHits, MemorySearch } from "../memory-store.ts";
import type { KeptEntry } from "./kept-entry.ts";

/**
 * Searches those of these entries that the scope sees, by names and words. It reads each of them: for thousands, not
 * for more.
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

import type { MemoryEntry } from "./memory-entry.ts";
import type { MemoryListing, MemoryStore } from "./memory-store.ts";

const usualLimit = 500;

/**
 * All of a scope's own entries that are meant, page by page. One that is changed meanwhile may come twice or not at all
 * where the order goes by what was changed.
 */
export async function* ownPages(
  store: Pick<MemoryStore, "list">,
  scope: string,
  listing: Omit<MemoryListing, "owned" | "after">,
  signal?: AbortSignal,
): AsyncGenerator<readonly MemoryEntry[], void, void> {
  for (let after: string | undefined; ; ) {
    signal?.throwIfAborted();
    const page = await store.list(scope, {
      limit: usualLimit,
      ...listing,
      owned: "own",
      ...(after !== undefined && { after }),
    });
    if (page.entries.length > 0) yield page.entries;
    if (page.next === undefined) return;
    after = page.next;
  }
}

/** The same, entry by entry. */
export async function* ownEntries(
  ...args: Parameters<typeof ownPages>
): AsyncGenerator<MemoryEntry, void, void> {
  for await (const page of ownPages(...args)) yield* page;
}

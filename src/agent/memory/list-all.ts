import type { MemoryEntry, MemoryListing, MemoryStore } from "../../store/index.ts";

const pageSize = 200;

/** The scope's own entries that are meant, page by page; none that is changed meanwhile is a fault. */
export async function* listAll(
  store: MemoryStore,
  scope: string,
  listing: MemoryListing,
): AsyncGenerator<MemoryEntry> {
  let after: string | undefined;
  do {
    const page = await store.list(scope, {
      ...listing,
      owned: "own",
      limit: pageSize,
      ...(after !== undefined && { after }),
    });
    yield* page.entries;
    after = page.next;
  } while (after !== undefined);
}

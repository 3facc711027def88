import type { Memory, MemoryEntry, MemoryListing } from "../../modules/memory/index.ts";

/** A page of deleted entries. */
export interface DeletedPage {
  readonly entries: readonly MemoryEntry[];
  /** Undefined, since they are found by passing over all others: nobody counts them. */
  readonly total: undefined;
  /** Undefined on the last page. */
  readonly next: string | undefined;
}

/** Lists entries of its own that a scope deleted, and can restore. */
export async function listDeleted(
  memory: Pick<Memory, "listBlocks">,
  listing: MemoryListing,
  signal: AbortSignal,
): Promise<DeletedPage> {
  const { limit = 50, ...rest } = listing;
  const entries: MemoryEntry[] = [];
  let { after } = listing;
  do {
    signal.throwIfAborted();
    const page = await memory.listBlocks({
      ...rest,
      owned: "own",
      with: ["deleted", "superseded", "invalid"],
      limit: Math.max(limit - entries.length, 1),
      ...(after !== undefined && { after }),
    });
    entries.push(...page.entries.filter(({ deletedAt }) => deletedAt !== undefined));
    after = page.next;
  } while (after !== undefined && entries.length < limit);
  return { entries, total: undefined, next: after };
}

import type { Trust } from "../../../kernel/index.ts";
import type { MemoryEntry, MemoryKind } from "../store/memory-entry.ts";
import type { MemoryWork } from "./memory-work.ts";

/** Tags by which work finds what it has yet to do: they change in the same edit as what it does. */
export const promotionWaits = "promotion:waiting";
export const promotionDone = "promotion:done";
export const graphWaits = "graph:waiting";

/**
 * The oldest of a scope's own entries that wait for some work, of one trust, as many as are looked at at once. Agents
 * may give what they keep any tag, so work that is for one kind has to say so.
 */
export async function entriesWaiting(
  { store, limits }: Pick<MemoryWork, "store" | "limits">,
  scope: string,
  waiting: { readonly tag: string; readonly trust: Trust; readonly kind?: MemoryKind },
): Promise<readonly MemoryEntry[]> {
  const { tag, trust, kind } = waiting;
  const { entries } = await store.list(scope, {
    ...(kind !== undefined && { kinds: [kind] }),
    tags: [tag],
    // What was superseded meanwhile, or is over, is decided on too: it would wait for ever.
    with: ["superseded", "invalid"],
    owned: "own",
    order: "oldest",
    limit: 1_000,
  });
  return entries.filter((one) => one.trust === trust).slice(0, limits.itemsAtOnce);
}

const generationTag = /^generation:(\d+)$/;

export function formatGenerationTag(generation: number): string {
  return `generation:${generation}`;
}

/** 0: made of messages; otherwise one more than those it was made of. */
export function readGeneration(tags: readonly string[]): number {
  return Math.max(0, ...tags.map((tag) => Number(generationTag.exec(tag)?.[1] ?? 0)));
}

import { compareTexts, saysTheSame } from "../../store/likeness.ts";
import type { Memory } from "../../store/memory.ts";
import type { MemoryEntry } from "../../store/memory-entry.ts";

/** What is remembered already that is like a new memory. */
export interface Similar {
  /** It says the same in the same words. */
  readonly same: MemoryEntry | undefined;
  /** They say much of it, or the contrary: the most alike first. */
  readonly near: readonly MemoryEntry[];
}

const mostLookedAt = 10;
const mostNear = 3;
/**
 * The share of words from which two are near. Two facts of one kind about one person share as much; less, and
 * most of what is named has nothing to do with it.
 */
const nearFrom = 0.6;
/** A text is as well looked for by its beginning. */
const mostQueryChars = 2000;

/** Looked for by words alone: a memory is stored without waiting for a model. */
export async function findSimilar(memory: Memory, text: string, signal: AbortSignal): Promise<Similar> {
  const { hits } = await memory.searchBlocks({
    query: text.slice(0, mostQueryChars),
    kinds: ["memory"],
    owned: "own",
    mode: "alike",
    limit: mostLookedAt,
    signal,
  });
  const entries = hits.map(({ entry }) => entry);
  const near = entries
    .map((entry) => ({ entry, likeness: compareTexts(text, entry.text) }))
    .filter(({ entry, likeness }) => likeness >= nearFrom || saysTheSame(text, entry.text))
    .sort((one, other) => other.likeness - one.likeness);
  return {
    same: entries.find((entry) => saysTheSame(text, entry.text)),
    near: near.slice(0, mostNear).map(({ entry }) => entry),
  };
}

import type { MemoryHits } from "../store/memory-store.ts";

/** The note of a search, with how to see what it left out where it shows nothing. */
export function noteOn({
  hits,
  note,
  leftOut = 0,
}: Pick<MemoryHits, "hits" | "note" | "leftOut">): string | undefined {
  return note !== undefined && hits.length === 0 && leftOut > 0 ? `${note}: all: true shows them` : note;
}

import type { MemoryHits, MemoryMatch, MemorySearch } from "../memory-store.ts";

/** What found an entry. */
export function toMatch(words: number | undefined, cosine: number | undefined): MemoryMatch {
  if (cosine === undefined || cosine <= 0) return "full-text";
  return words === undefined ? "embedding" : "full-text and embedding";
}

/** The scores of those that fit. */
export function within(
  scores: ReadonlyMap<number, number>,
  fits: (seq: number) => boolean,
): ReadonlyMap<number, number> {
  const others: number[] = [];
  for (const seq of scores.keys()) if (!fits(seq)) others.push(seq);
  if (others.length === 0) return scores;
  const fitting = new Map(scores);
  for (const seq of others) fitting.delete(seq);
  return fitting;
}

/** The row numbers with the highest scores, the best first. */
export function takeBest(scores: ReadonlyMap<number, number>, count: number): number[] {
  return [...scores]
    .sort(([, one], [, other]) => other - one)
    .slice(0, count)
    .map(([seq]) => seq);
}

/** What a search went by. */
export function byWhat(mode: MemorySearch["mode"], hasMeaning: boolean): MemoryHits["by"] {
  if (mode === "names") return "names";
  if (!hasMeaning) return "words";
  return mode === "meaning" ? "meaning" : "words and meaning";
}

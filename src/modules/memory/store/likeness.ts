import { foldCase, splitWords } from "./search/words.ts";

/** The fewest words: hardly anything can be said of a shorter text by its words. */
const fewestWords = 3;

/**
 * How much of what the shorter of two texts says the other one says too, 0 to 1, by their words without those of
 * grammar. 0 where one of them has fewer than three.
 */
export function compareTexts(one: string, other: string): number {
  const words = new Set(splitWords(one));
  const others = new Set(splitWords(other));
  const fewer = Math.min(words.size, others.size);
  if (fewer < fewestWords) return 0;
  return [...words].filter((word) => others.has(word)).length / fewer;
}

/** Whether two texts say the same in the same words, but for case, accents, spaces and the mark at their end. */
export function saysTheSame(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  const words = foldCase(text).replace(/\s+/g, " ").trim();
  // Not by an expression, which would begin again at each full stop of a long row.
  let end = words.length;
  while (end > 0 && " .!".includes(words.charAt(end - 1))) end--;
  return words.slice(0, end);
}

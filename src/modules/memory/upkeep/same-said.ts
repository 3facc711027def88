/** Words that turn what is said into its opposite. */
const negations = /^(not|no|never|none|nobody|nothing|without|cannot|isn|doesn|don|didn|won|wasn|hasn|can)$/;

/**
 * Whether two texts that mean nearly the same could still tell different facts: they have other numbers, other names or
 * another negation.
 */
export function differInFact(a: string, b: string): boolean {
  return telling(a) !== telling(b);
}

/** What a fact turns on, in order of the alphabet; the first word of a text is a name for anybody. */
function telling(text: string): string {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? [];
  const kept = words.filter(
    (word, index) =>
      /\p{N}/u.test(word) || negations.test(word.toLowerCase()) || (index > 0 && /^\p{Lu}/u.test(word)),
  );
  return [...new Set(kept.map((word) => word.toLowerCase()))].sort().join(" ");
}

/** 0 where one of them is nothing. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let ofA = 0;
  let ofB = 0;
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0;
    dot += value * other;
    ofA += value * value;
    ofB += other * other;
  }
  return ofA === 0 || ofB === 0 ? 0 : dot / Math.sqrt(ofA * ofB);
}

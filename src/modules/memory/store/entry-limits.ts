/** How many characters of an entry are kept at most: what is longer is refused, never cut. */
export const entryLimits = {
  text: 1_000_000,
  label: 200,
  title: 300,
  /** A name, a tag, a category, … */
  word: 200,
  session: 2_000,
} as const;

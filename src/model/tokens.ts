/** About how many tokens a text is: a quarter of its characters. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

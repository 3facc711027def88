/**
 * About how many tokens a text is: a quarter of its characters.
 *
 * @example
 * ```ts
 * countTokens("twelve chars"); // → 3
 * ```
 */
export function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

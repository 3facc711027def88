/** The rate that {@link countTokens} assumes. */
export const charsPerToken = 4;

/**
 * About how many tokens a text is: a quarter of its characters.
 *
 * @example
 * ```ts
 * countTokens("twelve chars"); // → 3
 * ```
 */
export function countTokens(text: string): number {
  return Math.ceil(text.length / charsPerToken);
}

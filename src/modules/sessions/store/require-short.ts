/** The characters of one entry as JSON. */
export const mostEntryChars = 8_000_000;

/**
 * Returns a text that is kept in a row, as it is.
 *
 * @throws {RangeError} It has more than 8,000,000 characters.
 */
export function requireShort(text: string): string {
  if (text.length <= mostEntryChars) return text;
  throw new RangeError(
    `Cannot keep ${text.length} characters in one entry: at most ${mostEntryChars} are kept; keep the data as an artifact or a file, and name it`,
  );
}

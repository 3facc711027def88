/**
 * Controls except tab and newline, line separators, and whatever a font shows as nothing (zero-width, bidirectional,
 * tags, half a pair) or as a blank that is no space: U+2800 is a letter of Braille without a dot.
 */
const invisible = /(?![\t\n ])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const invisibleRuns = new RegExp(`(?:${invisible.source})+`, "gu");

/** Whether {@link showInvisible} would change anything of `text`. */
export function hasInvisible(text: string): boolean {
  return text.search(invisible) !== -1;
}

/** A stretch of text that shows as it is, or of characters that would not be seen. */
export interface TextPart {
  readonly text: string;
  readonly hidden: boolean;
}

/** Splits `text` into what shows as it is and what {@link showInvisible} would write out; joined, they are the text. */
export function splitInvisible(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let shownUpTo = 0;
  for (const { 0: hidden, index } of text.matchAll(invisibleRuns)) {
    if (index > shownUpTo) parts.push({ text: text.slice(shownUpTo, index), hidden: false });
    parts.push({ text: hidden, hidden: true });
    shownUpTo = index + hidden.length;
  }
  if (shownUpTo < text.length) parts.push({ text: text.slice(shownUpTo), hidden: false });
  return parts;
}

/** `text` with every invisible, blank, bidirectional and control character written as `\u{…}`: what is shown is what is there. */
export function showInvisible(text: string): string {
  return text.replace(invisible, (char) => `\\u{${(char.codePointAt(0) as number).toString(16)}}`);
}

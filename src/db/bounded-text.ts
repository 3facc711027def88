import { cutHead } from "../base/index.ts";

/**
 * `text` as every database can hold it and give it back unchanged: no lone surrogates, no NUL, at most `maxChars`
 * UTF-16 units of it and then how many are missing.
 */
export function boundedText(text: string, maxChars: number): string {
  if (text.length <= maxChars && text.isWellFormed() && !text.includes("\0")) return text;
  const storable = text.toWellFormed().replaceAll("\0", "\u2400");
  if (storable.length <= maxChars) return storable;
  const head = cutHead(storable, maxChars);
  return `${head} … (${storable.length - head.length} more characters)`;
}

import { cutHead } from "../../../base/index.ts";
import { FileToolError } from "../errors.ts";

/** Some lines of a text that is in memory. */
export function cutWindow(
  text: string,
  {
    offset,
    limit,
    maxChars,
    path,
  }: { readonly offset: number; readonly limit: number; readonly maxChars: number; readonly path: string },
): {
  readonly text: string;
  readonly lines: number;
  readonly nextOffset: number | undefined;
  readonly totalLines: number;
  readonly lineCut: boolean;
} {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  if (offset > 0 && offset >= lines.length) throw offsetTooLarge(path, offset, lines.length);
  const wanted = lines.slice(offset, offset + limit);
  const cut = cutToChars(wanted.join(""), wanted.length, maxChars);
  const end = offset + cut.lines;
  return { ...cut, nextOffset: end < lines.length ? end : undefined, totalLines: lines.length };
}

/** Cuts to whole lines within `maxChars`; the first line alone may be cut within. */
export function cutToChars(
  text: string,
  lines: number,
  maxChars: number,
): { readonly text: string; readonly lines: number; readonly lineCut: boolean } {
  if (text.length <= maxChars) return { text, lines, lineCut: false };
  const end = text.lastIndexOf("\n", maxChars - 1) + 1;
  if (end === 0) return { text: cutHead(text, maxChars), lines: 1, lineCut: true };
  const kept = text.slice(0, end);
  let count = 0;
  for (let at = kept.indexOf("\n"); at !== -1; at = kept.indexOf("\n", at + 1)) count++;
  return { text: kept, lines: count, lineCut: false };
}

/** There are not that many lines. */
export function offsetTooLarge(path: string, offset: number, totalLines: number): FileToolError {
  return new FileToolError(
    "OFFSET_TOO_LARGE",
    `Cannot read "${path}" from line ${offset}: it has ${totalLines} lines; use an offset below that`,
    { details: { path, totalLines } },
  );
}

/** A stretch of a text, in UTF-16 units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** What was asked for, within a text of `total` units. */
export function toRange(offset: number, length: number, total: number): Range {
  const start = clamp(offset, total);
  return { start, end: Math.max(start, clamp(start + length, total)) };
}

/** A unit more on either side: enough to see whether the range parts a surrogate pair. */
export function widen({ start, end }: Range, total: number): Range {
  return { start: Math.max(0, start - 1), end: Math.min(total, end + 1) };
}

/** Cuts the range out of the wider text. A pair at its start is taken in; one at its end is left, unless it is all there is. */
export function cutPage(
  wide: string,
  wideStart: number,
  range: Range,
): { readonly text: string; readonly offset: number } {
  let start = range.start - wideStart;
  let end = range.end - wideStart;
  if (start > 0 && partsPair(wide, start)) start--;
  if (partsPair(wide, end)) end += end - 1 > start ? -1 : 1;
  return { text: wide.slice(start, Math.max(start, end)), offset: wideStart + start };
}

function partsPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

function clamp(value: number, total: number): number {
  return Number.isNaN(value) ? 0 : Math.trunc(Math.min(Math.max(value, 0), total));
}

const mostAtOnce = 256;

/** Lists of a statement's parameters. */
export function* inParts<Item>(items: readonly Item[]): Generator<readonly Item[], void> {
  for (let start = 0; start < items.length; start += mostAtOnce) yield items.slice(start, start + mostAtOnce);
}

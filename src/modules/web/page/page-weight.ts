import { isUnread, scanHtml } from "./scan-html.ts";

/** What decides how much time and memory it takes to make a tree of a page and Markdown of that. */
export interface PageWeight {
  /** The depth of elements in each other, where each needs its end tag. */
  readonly depth: number;
  readonly elements: number;
  /** Tags and stretches of text. */
  readonly pieces: number;
  readonly attributes: number;
  readonly lines: number;
}

// They end without an end tag, so that many of them are no depth.
const unclosed: ReadonlySet<string> = new Set(
  "area base br col embed hr img input link meta source track wbr p li dt dd td th tr thead tbody tfoot option optgroup colgroup rp rt html head body".split(
    " ",
  ),
);

/** Weighs a page by its tags alone, in one pass that allocates next to nothing. */
export function weighPage(html: string): PageWeight {
  const weight = { depth: 0, elements: 0, pieces: 0, attributes: 0, lines: 0 };
  let level = 0;
  scanHtml(html, {
    text(text) {
      weight.pieces++;
      for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) weight.lines++;
    },
    open(name, tag) {
      if (isUnread(name)) return;
      weight.pieces++;
      weight.elements++;
      weight.attributes += countAttributes(tag);
      if (name === "br") weight.lines++;
      if (unclosed.has(name)) return;
      level++;
      weight.depth = Math.max(weight.depth, level);
    },
    close(name) {
      if (!unclosed.has(name)) level = Math.max(0, level - 1);
    },
  });
  return weight;
}

/** At most: stretches of white space in the tag. */
function countAttributes(tag: string): number {
  let count = 0;
  let wasSpace = false;
  for (let at = 0; at < tag.length; at++) {
    const isSpace = tag.charCodeAt(at) <= 32;
    if (isSpace && !wasSpace) count++;
    wasSpace = isSpace;
  }
  return count;
}

/** A part of a line of Markdown. */
export type Inline =
  | { readonly kind: "text" | "code"; readonly text: string }
  | { readonly kind: "strong" | "em" | "del"; readonly parts: readonly Inline[] }
  | { readonly kind: "link" | "picture"; readonly text: string; readonly href: string };

/** A part of a text in Markdown. */
export type Block =
  | { readonly kind: "paragraph" | "heading"; readonly parts: readonly Inline[] }
  | { readonly kind: "code"; readonly text: string; readonly language: string }
  | { readonly kind: "rule" }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | {
      readonly kind: "list";
      /** The number of the first item; undefined for a list without numbers. */
      readonly start: number | undefined;
      readonly items: readonly (readonly Block[])[];
    }
  | {
      readonly kind: "table";
      readonly head: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    };

/** Maximum nesting of lists, quotes and emphasis. Deeper marks are text. */
const mostDeep = 6;
/** What follows the mark is looked at once, before the rest could be tried in more than one way. */
const fence = /^\s{0,3}(`{3,}|~{3,}(?!~))(?=[^`]*$)\s*([\w+#.-]{0,30})/;
const heading = /^\s{0,3}#{1,6}\s/;
const rule = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/;
const quote = /^\s{0,3}>\s?/;
const item = /^(\s{0,20})([-*+]|\d{1,9}[.)])(?:\s+|$)/;
const tableRule = /^\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/;

/**
 * Reads Markdown: what models write, not all that there is. HTML, references and everything else is text. The time it
 * takes grows with the length of the text alone.
 */
export function readMarkdown(text: string): readonly Block[] {
  return readBlocks(text.split(/\r?\n/), 0);
}

function readBlocks(lines: readonly string[], depth: number): readonly Block[] {
  const blocks: Block[] = [];
  let at = 0;
  const takeWhile = (is: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && is(lines[at] ?? "")) at++;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const [, mark = "", language = ""] = fence.exec(line) ?? [];
    if (line.trim() === "") at++;
    else if (mark !== "") {
      at++;
      const isEnd = (one: string) => /^\s{0,3}(?:`{3,}|~{3,})\s*$/.test(one) && one.trim().startsWith(mark);
      const text = takeWhile((one) => !isEnd(one)).join("\n");
      at++;
      blocks.push({ kind: "code", text, language });
    } else if (heading.test(line)) {
      at++;
      blocks.push({ kind: "heading", parts: readInline(readHeading(line.replace(heading, "").trim())) });
    } else if (rule.test(line)) {
      at++;
      blocks.push({ kind: "rule" });
    } else if (quote.test(line) && depth < mostDeep) {
      const quoted = takeWhile((one) => quote.test(one)).map((one) => one.replace(quote, ""));
      blocks.push({ kind: "quote", blocks: readBlocks(quoted, depth + 1) });
    } else if (item.test(line) && depth < mostDeep) {
      const isNumbered = /\d/.test(item.exec(line)?.[2] ?? "");
      const items: (readonly Block[])[] = [];
      const start = Number.parseInt(line.trim(), 10);
      for (let next = item.exec(line); next !== null; next = item.exec(lines[at] ?? "")) {
        if (/\d/.test(next[2] ?? "") !== isNumbered || rule.test(lines[at] ?? "")) break;
        const indent = (next[1] ?? "").length;
        const first = (lines[at] ?? "").slice(next[0].length);
        at++;
        const rest = takeWhile(
          (one) => isWithin(one, indent) || (one.trim() === "" && isWithin(lines[at + 1] ?? "", indent)),
        );
        const own = rest.map((one) => one.slice(Math.min(indent + 2, one.length - one.trimStart().length)));
        items.push(readBlocks([first, ...own], depth + 1));
        if ((lines[at] ?? "").trim() === "" && item.test(lines[at + 1] ?? "")) at++;
      }
      blocks.push({ kind: "list", start: isNumbered ? start : undefined, items });
    } else if (line.includes("|") && tableRule.test(lines[at + 1] ?? "")) {
      at += 2;
      const rows = takeWhile((one) => one.includes("|")).map(readCells);
      blocks.push({ kind: "table", head: readCells(line), rows });
    } else {
      at++;
      const isMore = (one: string) => one.trim() !== "" && !startsBlock(one);
      blocks.push({ kind: "paragraph", parts: readInline([line, ...takeWhile(isMore)].join("\n")) });
    }
  }
  return blocks;
}

/** A heading without the signs that may close it. */
function readHeading(text: string): string {
  let end = text.length;
  while (text[end - 1] === "#") end--;
  return end > 0 && end < text.length && /\s/.test(text[end - 1] ?? "") ? text.slice(0, end).trimEnd() : text;
}

/** Whether a line belongs to the item that begins at `indent`. */
function isWithin(line: string, indent: number): boolean {
  return line.trim() !== "" && line.length - line.trimStart().length > indent;
}

function startsBlock(line: string): boolean {
  return [fence, heading, rule, quote, item].some((start) => start.test(line));
}

function readCells(line: string): readonly (readonly Inline[])[] {
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => readInline(cell.trim().replaceAll("\\|", "|")));
}

/** Each alternative is bounded, so that no text makes the search look through all of it again and again. */
const mark =
  /\\([!-/:-@[-`{-~])|(?<!`)(`{1,3})(?!`)([^`]{1,2000}|[^]{1,2000}?[^`])\2(?!`)|(!?)\[([^[\]]{0,500})\]\(<?([^\s<>()]{1,2000}(?:\([^\s<>()]{0,200}\)[^\s<>()]{0,200})?)>?(?:\s+"[^"]{0,200}")?\)|<?(https?:\/\/[^\s<>"`]{1,2000})>?|(\*\*|~~|\*|(?<!\w)__?)(?=\S)([^]{1,1000}?)(?<=\S)\8(?![*~]|(?<=_)\w)/g;

const emphasis: Readonly<Record<string, "strong" | "em" | "del">> = {
  "**": "strong",
  __: "strong",
  "~~": "del",
  "*": "em",
  _: "em",
};

function readInline(text: string, depth = 0): readonly Inline[] {
  const parts: Inline[] = [];
  let from = 0;
  const addText = (to: number, more = "") => {
    const plain = text.slice(from, to) + more;
    const last = parts.at(-1);
    if (plain === "") return;
    if (last?.kind === "text") parts[parts.length - 1] = { kind: "text", text: last.text + plain };
    else parts.push({ kind: "text", text: plain });
  };
  for (const found of text.matchAll(mark)) {
    const [all, escaped, , code, bang, label = "", href, bare, sign = "", within = ""] = found;
    if (found.index < from) continue;
    const kind = emphasis[sign];
    if (kind !== undefined && depth >= mostDeep) continue;
    addText(found.index, escaped);
    from = found.index + all.length;
    if (code !== undefined) parts.push({ kind: "code", text: code });
    else if (href !== undefined) parts.push({ kind: bang === "!" ? "picture" : "link", text: label, href });
    else if (bare !== undefined) {
      const isBracketed = all.startsWith("<");
      const url = isBracketed ? bare : bare.replace(/[.,;:!?*_~'")\]}]+$/, "");
      if (!isBracketed) from = found.index + url.length;
      parts.push({ kind: "link", text: url, href: url });
    } else if (kind !== undefined) parts.push({ kind, parts: readInline(within, depth + 1) });
  }
  addText(text.length);
  return parts;
}

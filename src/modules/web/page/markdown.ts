import { oneLine } from "../../../base/index.ts";
import type { DomElement } from "./dom.ts";
import { highlightedCodeBlock, strikethrough, TurndownService, taskListItems } from "./turndown.ts";

// Each level indents every line within it once more.
const tooDeep = `${":is(blockquote, ul, ol) ".repeat(8)}:is(blockquote, ul, ol)`;

/** Turns a part of a page into GitHub-flavoured Markdown. Links and images have to be absolute already. */
export function toMarkdown(root: DomElement): string {
  for (const lineBreak of root.querySelectorAll("pre br")) lineBreak.replaceWith("\n");
  for (const nested of root.querySelectorAll(tooDeep)) nested.replaceWith(...nested.childNodes);
  const service = new TurndownService({
    headingStyle: "atx",
    codeBlockStyle: "fenced",
    bulletListMarker: "-",
    emDelimiter: "*",
    hr: "---",
  });
  service.use([strikethrough, taskListItems, highlightedCodeBlock]);
  service.remove(["script", "style", "noscript", "iframe", "button", "select", "textarea"] as never);
  addRule(
    service,
    "code",
    (node) => node.nodeName === "PRE",
    (_content, node) => fence(node),
  );
  addRule(service, "item", (node) => node.nodeName === "LI", formatItem);
  addRule(service, "link", (node) => node.nodeName === "A", formatLink);
  addRule(
    service,
    "image",
    (node) => node.nodeName === "IMG",
    (_content, node) => formatImage(node),
  );
  addRule(
    service,
    "cell",
    (node) => isCell(node) && isInDataTable(node),
    (content, node) => formatCell(content, node),
  );
  addRule(
    service,
    "row",
    (node) => node.nodeName === "TR" && isInDataTable(node),
    (content) => `\n|${content}`,
  );
  addRule(
    service,
    "table",
    (node) => node.nodeName === "TABLE" && isDataTable(node),
    (content) => formatTable(content),
  );
  addRule(
    service,
    "layout",
    (node) => isCell(node) && !isInDataTable(node),
    (content) => `\n\n${content.trim()}\n\n`,
  );
  return service
    .turndown(root as never)
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function addRule(
  service: TurndownService,
  name: string,
  filter: (node: DomElement) => boolean,
  replacement: (content: string, node: DomElement) => string,
): void {
  service.addRule(name, {
    filter: (node) => filter(node as unknown as DomElement),
    replacement: (content, node) => replacement(content, node as unknown as DomElement),
  });
}

/** A fence longer than any run of backticks in the code, with the language where a class tells it. */
function fence(pre: DomElement): string {
  const code = pre.textContent.replace(/^\n|\s+$/g, "");
  if (code === "") return "";
  const classes = [pre.querySelector("code")?.className, pre.className, pre.parentNode?.className].join(" ");
  const language = /\b(?:language|lang|highlight-source|brush:)[- ]?([\w+#-]+)/.exec(classes)?.[1] ?? "";
  const longest = Math.max(2, ...Array.from(code.matchAll(/`+/g), ([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  return `\n\n${ticks}${language}\n${code}\n${ticks}\n\n`;
}

function formatItem(content: string, item: DomElement): string {
  const list = item.parentNode;
  const isOrdered = list?.nodeName === "OL";
  const place = isOrdered
    ? Array.from(list.children).indexOf(item) + (Number(list.getAttribute("start") ?? 1) || 1)
    : 0;
  const mark = isOrdered ? `${place}. ` : "- ";
  const lines = content
    .trim()
    .replace(/\n{3,}/g, "\n\n")
    .split("\n");
  const indented = lines.map((line, index) =>
    index === 0 || line === "" ? line : " ".repeat(mark.length) + line,
  );
  return `${mark}${indented.join("\n")}\n`;
}

function formatLink(content: string, node: DomElement): string {
  const text = content.trim();
  const target = node.getAttribute("href");
  // Anchors of headings, and links around nothing.
  if (text === "" || /^(?:#|¶|§|🔗)$/u.test(text)) return "";
  if (target === null) return content;
  return `[${text.replace(/\n+/g, " ")}](${escapeTarget(target)})`;
}

function formatImage(node: DomElement): string {
  const alt = oneLine(node.getAttribute("alt") ?? "");
  const source = node.getAttribute("src");
  if (source === null) return alt;
  return `![${alt}](${escapeTarget(source)})`;
}

function escapeTarget(target: string): string {
  return target.replace(/[()\s<>]/g, (char) =>
    encodeURIComponent(char).replace("(", "%28").replace(")", "%29"),
  );
}

function isCell(node: DomElement): boolean {
  return node.nodeName === "TD" || node.nodeName === "TH";
}

function isInDataTable(node: DomElement): boolean {
  const table = node.closest("table");
  return table !== null && isDataTable(table);
}

const known = new WeakMap<DomElement, boolean>();

/** At least two rows and two columns, and no table or heading in a cell: what lays out a page is not a table. */
function isDataTable(table: DomElement): boolean {
  let isData = known.get(table);
  if (isData === undefined) {
    const rows = Array.from(table.querySelectorAll("tr"));
    const isGrid = rows.length > 1 && rows.some((row) => listCells(row).length > 1);
    isData = isGrid && table.querySelector("table, h1, h2, h3, h4, pre, ul, ol") === null;
    known.set(table, isData);
  }
  return isData;
}

function listCells(row: DomElement): DomElement[] {
  return Array.from(row.children).filter(isCell);
}

// A cell that spans more than this is a mistake or an attack.
const maxSpan = 30;

function formatCell(content: string, node: DomElement): string {
  const span = Math.min(Math.max(Number(node.getAttribute("colspan") ?? 1) || 1, 1), maxSpan);
  const text = oneLine(content).replace(/(?<!\\)\|/g, "\\|");
  return ` ${text} |${"  |".repeat(span - 1)}`;
}

/** The first row is the head, since Markdown knows no table without one; short rows are filled up. */
function formatTable(content: string): string {
  const lines = content.split("\n").filter((line) => line.trim() !== "");
  const rows = lines.filter((line) => line.startsWith("|"));
  const others = lines.filter((line) => !line.startsWith("|"));
  const [head, ...body] = rows;
  if (head === undefined) return content;
  const columns = Math.max(...rows.map(countColumns));
  const filled = (row: string) => row + "  |".repeat(columns - countColumns(row));
  const table = [filled(head), `|${" --- |".repeat(columns)}`, ...body.map(filled)].join("\n");
  return `\n\n${others.length > 0 ? `${others.join("\n")}\n\n` : ""}${table}\n\n`;
}

function countColumns(row: string): number {
  return (row.match(/(?<!\\)\|/g)?.length ?? 1) - 1;
}

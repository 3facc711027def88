import { Lexer, type Token, type Tokens } from "marked";
import type { Paint } from "../terminal.ts";
import { displayWidth, wrapText } from "../text/display-width.ts";
import { renderTable } from "../text/table.ts";

/** How Markdown is printed. */
export interface MarkdownPrinterOptions {
  /** Columns of the terminal. Infinity if the output is no terminal: the text is then printed unchanged. */
  readonly width: number;
  readonly paint: (paint: Paint, text: string) => string;
}

/**
 * Prints Markdown that comes in pieces: each block once, as soon as the next one begins. Nothing is redrawn, so
 * scrollback, pipes and screen readers get the same text.
 */
export class MarkdownPrinter {
  readonly #options: MarkdownPrinterOptions;
  #pending = "";
  /** The kind of the block before; undefined at the beginning. */
  #last: string | undefined;

  constructor(options: MarkdownPrinterOptions) {
    this.#options = options;
  }

  /** Takes a piece, and returns what can be printed now. */
  add(piece: string): string {
    if (this.#options.width === Number.POSITIVE_INFINITY) {
      this.#pending = piece.at(-1) ?? this.#pending;
      return piece;
    }
    this.#pending += piece;
    // Only a line that has ended can end a block.
    return piece.includes("\n") ? this.#print(false) : "";
  }

  /** Returns the rest, with the end of its line. */
  end(): string {
    const isPlain = this.#options.width === Number.POSITIVE_INFINITY;
    const rest = isPlain ? (this.#pending === "\n" ? "" : "\n") : this.#print(true);
    this.#pending = "";
    this.#last = undefined;
    return rest;
  }

  #print(isEnd: boolean): string {
    const blocks = new Lexer().lex(this.#pending);
    const last = isEnd ? -1 : blocks.findLastIndex(({ type }) => type !== "space");
    const finished = isEnd ? blocks : blocks.slice(0, Math.max(last, 0));
    let text = finished.map((block) => this.#block(block)).join("");
    let printed = finished.reduce((chars, { raw }) => chars + raw.length, 0);
    const growing = isEnd ? undefined : blocks[last];
    if (growing?.type === "list") {
      const items = (growing as Tokens.List).items.slice(0, -1);
      if (items.length > 0) {
        text += this.#block({ ...growing, items } as Tokens.List);
        printed += items.reduce((chars, { raw }) => chars + raw.length, 0);
      }
    }
    this.#pending = this.#pending.slice(printed);
    return text;
  }

  #block(block: Token): string {
    const lines = renderBlock(block, this.#options);
    if (lines.length === 0) return "";
    const kind = block.type === "list" ? `list ${(block as Tokens.List).ordered}` : block.type;
    const isSameList = block.type === "list" && this.#last === kind;
    const gap = this.#last === undefined || isSameList ? "" : "\n";
    this.#last = kind;
    return `${gap}${lines.join("\n")}\n`;
  }
}

function renderBlock(block: Token, options: MarkdownPrinterOptions): readonly string[] {
  const { width, paint } = options;
  switch (block.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return wrapText(paint(["bold", "underline"], inline(block, options)), width, breaking);
    case "code":
      return (block as Tokens.Code).text.split("\n").map((line) => `  ${paint("cyan", line)}`);
    case "blockquote": {
      const narrow = { ...options, width: Math.max(width - 2, 10) };
      return renderAll((block as Tokens.Blockquote).tokens, narrow).map(
        (line) => `${paint("dim", "│")} ${line}`,
      );
    }
    case "list":
      return (block as Tokens.List).items.flatMap((item, at) =>
        renderItem(block as Tokens.List, item, at, options),
      );
    case "hr":
      return [paint("dim", "─".repeat(Math.min(width, 40)))];
    case "table":
      return renderCells(block as Tokens.Table, options);
    default:
      return wrapText(inline(block, options), width, breaking);
  }
}

/** Blocks with an empty line between them. */
function renderAll(blocks: readonly Token[], options: MarkdownPrinterOptions): readonly string[] {
  return blocks
    .map((block) => renderBlock(block, options))
    .filter((lines) => lines.length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : ["", ...lines]));
}

const breaking = { breakWords: true } as const;

function renderItem(
  list: Tokens.List,
  item: Tokens.ListItem,
  at: number,
  options: MarkdownPrinterOptions,
): readonly string[] {
  const number = list.ordered ? `${(list.start === "" ? 1 : list.start) + at}.` : "•";
  const box = item.task ? (item.checked === true ? " [x]" : " [ ]") : "";
  const mark = `${number}${box} `;
  const indent = " ".repeat(displayWidth(mark));
  const narrow = { ...options, width: Math.max(options.width - indent.length, 10) };
  // The checkbox of a task is a token of its own; `mark` already shows it.
  const lines = item.tokens
    .filter(({ type }) => type !== "checkbox")
    .flatMap((block) => renderBlock(block, narrow));
  return lines.map((line, row) => (row === 0 ? mark : indent) + line);
}

function renderCells({ header, rows }: Tokens.Table, options: MarkdownPrinterOptions): readonly string[] {
  const plain = { ...options, paint: (_paint: Paint, text: string) => text };
  const columns = header.map(({ tokens, align }, at) => ({
    title: inlineAll(tokens, plain),
    ...(align === "right" && { align: "right" as const }),
    ...(at === header.length - 1 && { overflow: "wrap" as const }),
  }));
  const cells = rows.map((row) => row.map(({ tokens }) => inlineAll(tokens, plain)));
  const table = renderTable(columns, cells, {
    width: options.width,
    paintTitle: (text) => options.paint("bold", text),
  });
  return table.trimEnd().split("\n");
}

function inline(block: Token, options: MarkdownPrinterOptions): string {
  return "tokens" in block && block.tokens !== undefined
    ? inlineAll(block.tokens, options)
    : unescape("text" in block ? block.text : block.raw);
}

function inlineAll(tokens: readonly Token[], options: MarkdownPrinterOptions): string {
  return tokens.map((token) => renderInline(token, options)).join("");
}

function renderInline(token: Token, options: MarkdownPrinterOptions): string {
  const { paint } = options;
  switch (token.type) {
    case "strong":
      return paint("bold", inline(token, options));
    case "em":
      return paint("italic", inline(token, options));
    case "del":
      return paint("strikethrough", inline(token, options));
    case "codespan":
      return paint("cyan", unescape((token as Tokens.Codespan).text));
    case "br":
      return "\n";
    case "link": {
      const { href } = token as Tokens.Link;
      const text = inline(token, options);
      return text === href || `mailto:${text}` === href ? text : `${text} (${paint("underline", href)})`;
    }
    case "image":
      return `[${(token as Tokens.Image).text}] (${(token as Tokens.Image).href})`;
    case "text":
    case "escape":
      return inline(token, options);
    default:
      return token.raw;
  }
}

/** Undoes what the lexer escapes for HTML. */
function unescape(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}

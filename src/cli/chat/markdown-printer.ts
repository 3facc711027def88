import { Lexer, type Token, type Tokens } from "marked";
import type { Paint } from "../terminal.ts";
import { breakLine, displayWidth, wrapText } from "../text/display-width.ts";
import { renderTable } from "../text/table.ts";

/** How Markdown is printed. */
export interface MarkdownPrinterOptions {
  /** Columns of the terminal. Infinity if the output is no terminal: the text is then printed unchanged. */
  readonly width: number;
  readonly paint: (paint: Paint, text: string) => string;
}

/**
 * Prints Markdown that comes in pieces: a paragraph line by line, code too, and any other block once the next begins.
 * Nothing that was printed is drawn again, so scrollback, pipes and screen readers get the same text.
 */
export class MarkdownPrinter {
  readonly #options: MarkdownPrinterOptions;
  /** The text of blocks that are not printed whole. */
  #pending = "";
  /** The kind of the block before; undefined at the beginning. */
  #last: string | undefined;
  /** How much of the text of the first pending block is in lines that were printed, or in {@link #line}. */
  #taken = 0;
  /** The last line of a paragraph that grows, as it is rendered. */
  #line = "";
  /** What stands between that line and the next word. */
  #glue = "";
  /** Whether a block of code grows. */
  #isInCode = false;

  constructor(options: MarkdownPrinterOptions) {
    this.#options = options;
  }

  /** Takes a piece, and returns what can be printed now. */
  add(piece: string): string {
    if (this.#isPlain) {
      this.#pending = piece.at(-1) ?? this.#pending;
      return piece;
    }
    this.#pending += piece;
    // Only a word that has ended changes what can be printed; of code, only a line.
    return (this.#isInCode ? /\n/ : /\s/).test(piece) ? this.#print(false) : "";
  }

  /** Returns the rest, with the end of its line. */
  end(): string {
    const rest = this.#isPlain ? (this.#pending === "\n" ? "" : "\n") : this.#print(true);
    this.#pending = "";
    this.#last = undefined;
    this.#isInCode = false;
    return rest;
  }

  /** The end of the text that is not printed yet, without a line break. */
  get growing(): string {
    if (this.#isPlain) return "";
    const source = this.#pending.slice(this.#taken);
    const rest = source
      .slice(source.trimEnd().lastIndexOf("\n") + 1)
      .trimEnd()
      .replaceAll("\t", " ");
    const glue = this.#line !== "" && rest !== "" ? " " : "";
    const line = `${this.#line}${glue}${rest}`;
    // A word that does not fit begins the next line.
    const overflows = displayWidth(line) >= this.#options.width && rest.includes(" ");
    return overflows ? rest : line;
  }

  get #isPlain(): boolean {
    return this.#options.width === Number.POSITIVE_INFINITY;
  }

  #print(isEnd: boolean): string {
    const blocks = new Lexer().lex(this.#pending);
    const last = isEnd ? -1 : blocks.findLastIndex(({ type }) => type !== "space");
    const finished = isEnd ? blocks : blocks.slice(0, Math.max(last, 0));
    let text = finished.map((block) => this.#finish(block)).join("");
    let printed = finished.reduce((chars, { raw }) => chars + raw.length, 0);
    const growing = isEnd ? undefined : blocks[last];
    this.#isInCode = growing?.type === "code" && !closedCode.test(growing.raw);
    if (growing?.type === "list") {
      const items = (growing as Tokens.List).items.slice(0, -1);
      if (items.length > 0) {
        text += this.#finish({ ...growing, items } as Tokens.List);
        printed += items.reduce((chars, { raw }) => chars + raw.length, 0);
      }
    } else if (growing?.type === "paragraph") text += this.#growParagraph(growing as Tokens.Paragraph);
    else if (this.#isInCode) text += this.#growCode(growing as Tokens.Code);
    this.#pending = this.#pending.slice(printed);
    return text;
  }

  /** The full lines of a paragraph whose words are known to stay as they are. */
  #growParagraph({ text }: Tokens.Paragraph): string {
    const stable = findStable(text.slice(this.#taken));
    if (stable === "") return "";
    const gap = this.#begin("paragraph");
    this.#taken += stable.length;
    return gap + this.#addWords(stable);
  }

  /** Adds words to the growing line, and returns the lines that are full. */
  #addWords(source: string): string {
    if (source.trim() === "") return "";
    const words = inlineAll(Lexer.lexInline(source.trim()), this.#options);
    const { width } = this.#options;
    const lines = wrapText(this.#line + this.#glue + words, width, breaking);
    this.#line = lines.pop() ?? "";
    this.#glue = /\n\s*$/.test(source) ? "\n" : " ";
    return lines.map((line) => `${line}\n`).join("");
  }

  /** The lines of code that have ended. Only a block with a fence can be told before it is whole. */
  #growCode(block: Tokens.Code): string {
    if (!/^ {0,3}(```|~~~)/.test(block.raw)) return "";
    // The last line may be the beginning of the fence that ends the block.
    const end = block.text.lastIndexOf("\n");
    if (end < this.#taken) return "";
    const gap = this.#begin("code");
    const lines = renderCode(block.text.slice(this.#taken, end), this.#options);
    this.#taken = end + 1;
    return gap + lines.map((line) => `${line}\n`).join("");
  }

  /** The gap before a block of this kind, if it begins now. */
  #begin(kind: string): string {
    if (this.#taken > 0) return "";
    const isSameList = kind.startsWith("list") && this.#last === kind;
    const gap = this.#last === undefined || isSameList ? "" : "\n";
    this.#last = kind;
    return gap;
  }

  /** A block that is whole, without what was printed of it. */
  #finish(block: Token): string {
    const taken = this.#taken;
    if (taken === 0) {
      const lines = renderBlock(block, this.#options);
      if (lines.length === 0) return "";
      const kind = block.type === "list" ? `list ${(block as Tokens.List).ordered}` : block.type;
      return `${this.#begin(kind)}${lines.join("\n")}\n`;
    }
    if (block.type === "code") {
      this.#taken = 0;
      const rest = (block as Tokens.Code).text.slice(taken);
      return rest === ""
        ? ""
        : renderCode(rest, this.#options)
            .map((line) => `${line}\n`)
            .join("");
    }
    // What began as a paragraph may have turned out to be a title, or its last line the first of a table.
    const isWhole = block.type === "paragraph" || block.type === "heading";
    const source = isWhole ? (block as Tokens.Paragraph | Tokens.Heading).text : block.raw;
    this.#taken = Math.max(0, taken - block.raw.length);
    const full = this.#addWords(source.slice(taken));
    if (this.#taken > 0) return full;
    const last = this.#line;
    this.#line = "";
    this.#glue = "";
    return `${full}${last}\n`;
  }
}

/** Code whose fence has come to its end, or that has none. */
const closedCode = /^(?! {0,3}(```|~~~))|\n {0,3}(`{3,}|~{3,})\s*$/;

/** Beginnings of parts of a paragraph that are rendered otherwise once their end has come, or of a table. */
const opening = /[`[|\\]|[*~](?=\S)|(?<![\p{L}\p{N}])_(?=\S)|<(?=[A-Za-z/!])/u;

/**
 * The words at the beginning of a growing paragraph that stay as they are whatever comes after: those of parts that are
 * whole, such as `**bold**`, and of text before the first character that could begin another.
 */
function findStable(source: string): string {
  const ended = source.slice(0, source.search(/\s\S*$/) + 1);
  let stable = "";
  for (const token of Lexer.lexInline(ended)) {
    const { raw } = token;
    const at = token.type === "text" ? raw.search(opening) : -1;
    if (at >= 0) {
      stable += raw.slice(0, at);
      break;
    }
    stable += raw;
  }
  // The last word may go on in what comes.
  return stable.slice(0, stable.search(/\s\S*$/) + 1);
}

function renderCode(text: string, { width, paint }: MarkdownPrinterOptions): readonly string[] {
  return text
    .split("\n")
    .flatMap((line) => breakLine(line, width - 2))
    .map((line) => `  ${paint("cyan", line)}`);
}

function renderBlock(block: Token, options: MarkdownPrinterOptions): readonly string[] {
  const { width, paint } = options;
  switch (block.type) {
    case "space":
    case "def":
      return [];
    case "heading":
      return wrapText(inline(block, options), width, breaking).map((line) =>
        paint(["bold", "underline"], line),
      );
    case "code":
      return renderCode((block as Tokens.Code).text, options);
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
      return paintWords("bold", inline(token, options), options);
    case "em":
      return paintWords("italic", inline(token, options), options);
    case "del":
      return paintWords("strikethrough", inline(token, options), options);
    case "codespan":
      return paintWords("cyan", unescape((token as Tokens.Codespan).text), options);
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

/** Paints each word by itself, so that a line can be broken between any two. */
function paintWords(paint: Paint, text: string, options: MarkdownPrinterOptions): string {
  return text.replaceAll(/\S+/g, (word) => options.paint(paint, word));
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

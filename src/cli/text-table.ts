import { displayWidth, fitWidth, wrapText } from "./display-width.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** What happens where the row is wider than the terminal; one column at most. @default keep */
  readonly overflow?: "cut" | "wrap";
  /** Applied to the padded cell, so that colours never count as columns. */
  readonly paint?: (text: string) => string;
}

export interface TableOptions {
  /** Columns of the terminal; Infinity where the output is no terminal, and nothing is cut. */
  readonly width: number;
  /** Before every line. @default "" */
  readonly indent?: string;
  /** @default true */
  readonly titles?: boolean;
  readonly paintTitle?: (text: string) => string;
}

const gap = "  ";

/** Rows in columns, each line ended; the column with `overflow` takes what the others leave. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: TableOptions,
): string {
  const { indent = "", titles = true } = options;
  const widths = widthsOf(
    columns,
    titles ? [columns.map(({ title }) => title), ...rows] : rows,
    options.width,
    indent,
  );
  const lines: string[] = [];
  if (titles) {
    const line = joinCells(columns.map(({ title }, at) => pad(title, widths[at] as number, columns[at])));
    lines.push(indent + (options.paintTitle?.(line) ?? line));
  }
  for (const row of rows) lines.push(...renderRow(columns, row, widths).map((line) => indent + line));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function widthsOf(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  total: number,
  indent: string,
): number[] {
  const widths = columns.map((_, at) => Math.max(0, ...rows.map((row) => displayWidth(row[at] ?? ""))));
  const flexible = columns.findIndex(({ overflow }) => overflow !== undefined);
  if (flexible < 0 || total === Number.POSITIVE_INFINITY) return widths;
  const others = widths.reduce((sum, width, at) => (at === flexible ? sum : sum + width), 0);
  const left = total - indent.length - others - gap.length * (columns.length - 1);
  widths[flexible] = Math.min(widths[flexible] as number, Math.max(left, narrowest));
  return widths;
}

/** A flexible column never gets narrower: a too narrow terminal wraps the lines itself. */
const narrowest = 12;

function renderRow(columns: readonly Column[], row: readonly string[], widths: readonly number[]): string[] {
  const cells = columns.map(({ overflow }, at) => {
    const text = row[at] ?? "";
    const width = widths[at] as number;
    if (overflow === "wrap") return wrapText(text, width);
    return [overflow === "cut" ? fitWidth(text, width) : text];
  });
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    joinCells(
      columns.map((column, at) => {
        const padded = pad(cells[at]?.[line] ?? "", widths[at] as number, column);
        return column.paint?.(padded) ?? padded;
      }),
    ),
  );
}

function pad(text: string, width: number, column: Column | undefined): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)));
  return column?.align === "right" ? space + text : text + space;
}

function joinCells(cells: readonly string[]): string {
  return cells.join(gap).trimEnd();
}

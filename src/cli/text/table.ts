import { displayWidth, fitWidth, wrapText } from "./display-width.ts";

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /**
   * What happens where the row is wider than the terminal; one column at most. The others are wrapped only where that
   * does not suffice, the widest first. @default keep
   */
  readonly overflow?: "cut" | "wrap";
  /** Something to be copied, such as an id: it stays on one line as long as the other columns can give way. @default false */
  readonly whole?: boolean;
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
  /** Titles of columns that are left out, the first one first, until the rows fit and nothing else is wrapped. @default none */
  readonly leastTold?: readonly string[];
}

const gap = "  ";

/** Rows in columns, each line ended; the column with `overflow` takes what the others leave. */
export function renderTable(
  allColumns: readonly Column[],
  allRows: readonly (readonly string[])[],
  options: TableOptions,
): string {
  const { columns, rows } = withoutLeast(allColumns, allRows, options);
  const { indent = "", titles = true } = options;
  const widths = measureWidths(
    columns,
    titles ? [columns.map(({ title }) => title), ...rows] : rows,
    options.width,
    indent,
  );
  const lines: string[] = [];
  if (titles) {
    const line = joinCells(
      columns.map(({ title }, at) =>
        pad(fitWidth(title, widths[at] as number), widths[at] as number, columns[at]),
      ),
    );
    lines.push(indent + (options.paintTitle?.(line) ?? line));
  }
  for (const row of rows) lines.push(...renderRow(columns, row, widths).map((line) => indent + line));
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

interface Cells {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

/** The width of a column. There may be more rows than a call of a function takes arguments. */
function findWidest(title: string, rows: Cells["rows"], at: number): number {
  return rows.reduce((widest, row) => Math.max(widest, displayWidth(row[at] ?? "")), displayWidth(title));
}

function withoutLeast(
  columns: Cells["columns"],
  rows: Cells["rows"],
  { width, indent = "", leastTold = [] }: TableOptions,
): Cells {
  const widths = columns.map(({ title, overflow }, at) => {
    const widest = findWidest(title, rows, at);
    return gap.length + (overflow === "cut" ? Math.min(widest, narrowest) : widest);
  });
  const shown = new Set(columns.keys());
  const needed = () =>
    Array.from(shown).reduce((sum, at) => sum + (widths[at] as number), indent.length - gap.length);
  for (const least of leastTold)
    if (needed() > width) shown.delete(columns.findIndex(({ title }) => title === least));
  const pick = <Item>(list: readonly Item[]) => list.filter((_, at) => shown.has(at));
  return { columns: pick(columns), rows: rows.map(pick) };
}

function measureWidths(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  total: number,
  indent: string,
): number[] {
  const widths = columns.map((_, at) => findWidest("", rows, at));
  if (total === Number.POSITIVE_INFINITY) return widths;
  const room = total - indent.length - gap.length * (columns.length - 1);
  const flexible = columns.findIndex(({ overflow }) => overflow !== undefined);
  if (flexible >= 0) {
    const others = widths.reduce((sum, width, at) => (at === flexible ? sum : sum + width), 0);
    widths[flexible] = Math.min(widths[flexible] as number, Math.max(room - others, narrowest));
  }
  const wraps = Array.from(columns.keys()).filter((at) => columns[at]?.whole !== true);
  narrowWidest(widths, { room, among: wraps, least: narrowestWord });
  narrowWidest(widths, { room, among: Array.from(columns.keys()), least: 1 });
  return widths;
}

/** The flexible column gives way down to this width; then the widest columns are wrapped. */
const narrowest = 12;

/** A column beside one that is to stay whole gives way down to this width. */
const narrowestWord = 6;

interface Narrowing {
  /** What all widths may be together. */
  readonly room: number;
  /** Places of the columns that give way. */
  readonly among: readonly number[];
  readonly least: number;
}

/** Takes from the widest of some columns, one after the other, until all columns fit. */
function narrowWidest(widths: number[], { room, among, least }: Narrowing): void {
  for (let over = computeSum(widths) - room; over > 0; over = computeSum(widths) - room) {
    const some = among.map((at) => widths[at] as number);
    const widest = Math.max(...some);
    if (widest <= least) return;
    const next = Math.max(least, ...some.filter((width) => width < widest));
    const at = among[some.indexOf(widest)] as number;
    widths[at] = Math.min(widest - 1, Math.max(next, widest - over));
  }
}

function computeSum(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0);
}

function renderRow(columns: readonly Column[], row: readonly string[], widths: readonly number[]): string[] {
  const cells = columns.map(({ overflow }, at) => {
    const text = row[at] ?? "";
    const width = widths[at] as number;
    return overflow === "cut" ? [fitWidth(text, width)] : wrapText(text, width, { breakWords: true });
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

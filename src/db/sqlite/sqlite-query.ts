import type { Statement, StatementValue } from "../database.ts";

/** The part of a statement of `node:sqlite` that the store uses. */
export interface RawStatement extends Statement {
  run(...parameters: readonly StatementValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  columns(): readonly { readonly name: string }[];
  /** Whether each row is a list of values, rather than an object. */
  setReturnArrays(enabled: boolean): void;
}

/** The rows that a query gave, or what it changed. */
export type QueryOutcome =
  | { readonly rows: readonly unknown[] }
  | { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint };

/**
 * A prepared query. Rows of `node:sqlite` are dictionaries, of which a thousand take twice as long to make and to read as
 * plain objects do. So a query that names its columns gets their values as lists, and its rows are made here.
 */
export class SqliteQuery {
  readonly #statement: RawStatement;
  readonly #givesRows: boolean;
  /** The names of its columns. Undefined for one with `*`: a migration by another process changes what that means. */
  readonly #names: readonly string[] | undefined;

  constructor(statement: RawStatement, sql: string) {
    const columns = statement.columns();
    this.#statement = statement;
    this.#givesRows = columns.length > 0;
    this.#names = this.#givesRows && !sql.includes("*") ? columns.map(({ name }) => name) : undefined;
    if (this.#names !== undefined) statement.setReturnArrays(true);
  }

  run(values: readonly StatementValue[]): QueryOutcome {
    if (!this.#givesRows) return this.#statement.run(...values);
    const rows = this.#statement.all(...values);
    const names = this.#names;
    return {
      rows: names === undefined ? rows : rows.map((row) => toRow(names, row as readonly StatementValue[])),
    };
  }
}

function toRow(names: readonly string[], values: readonly StatementValue[]): object {
  const row: Record<string, StatementValue> = {};
  for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at] as StatementValue;
  return row;
}

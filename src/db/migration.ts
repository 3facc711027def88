import type { ColumnDefinitionBuilder, CreateTableBuilder, SchemaModule } from "kysely";

/** What a migration leaves to the database engine. */
export interface Engine {
  readonly bytes: "blob" | "bytea";
  /** Holds 53 bits. */
  readonly integer: "integer" | "bigint";
  readonly real: "real" | "double precision";
  /** `clustered`: the rows lie in the order of the primary key, and there is no other key. */
  createTable(
    schema: SchemaModule,
    name: string,
    options?: { readonly clustered?: boolean },
  ): CreateTableBuilder<string>;
  /** A key that counts up by itself. */
  readonly counter: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** Makes a table refuse changes to its rows, and their removal. */
  appendOnly(table: string): readonly string[];
  /**
   * Lets the rows of such a table lose the values of all `erased` columns at once, where the column `where` has a
   * value. `kept` are all other columns: one that is in neither list could be changed.
   */
  allowErasing(
    table: string,
    columns: { readonly where: string; readonly erased: readonly string[]; readonly kept: readonly string[] },
  ): readonly string[];
}

/** One step from a version to the next. Once released it is never changed: a new step mends what it got wrong. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: (schema: SchemaModule, engine: Engine) => readonly string[];
}

/** What tables a database has, and how they come to be. */
export interface Schema {
  /** The version that the migrations lead to. It is raised with each new one. */
  readonly version: number;
  /** Every migration there ever was, numbered from 1 without a gap. Called only where a database is older. */
  migrations(): Promise<readonly Migration[]>;
  /**
   * Queries that fail where tables lack columns which their migration got before it was released: whoever ran it
   * earlier has to begin anew.
   */
  readonly probes: readonly string[];
}

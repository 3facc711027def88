import type { ColumnDefinitionBuilder, CreateTableBuilder, SchemaModule } from "kysely";

/** What a migration leaves to the database engine. */
export interface Engine {
  readonly bytes: "blob" | "bytea";
  /** Holds 53 bits. */
  readonly integer: "integer" | "bigint";
  readonly real: "real" | "double precision";
  createTable(schema: SchemaModule, name: string): CreateTableBuilder<string>;
  /** A key that counts up by itself. */
  readonly counter: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** Makes a table refuse changes to its rows, and their removal. */
  appendOnly(table: string): readonly string[];
}

/** One step from a version to the next. Once released it is never changed: a new step mends what it got wrong. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly statements: (schema: SchemaModule, engine: Engine) => readonly string[];
}

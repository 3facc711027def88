import type { Migration } from "../../../db/index.ts";

/** Encrypted values, and what is known of their keys; the keys themselves are elsewhere. */
export const secrets: Migration = {
  version: 4,
  name: "secrets",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "secret_key")
      .addColumn("version", engine.integer, (column) => column.primaryKey().notNull())
      .addColumn("id", "text", (column) => column.notNull().unique())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("salt", engine.bytes)
      .addColumn("cost", "text")
      .addColumn("nonce", engine.bytes, (column) => column.notNull())
      .addColumn("sealed", engine.bytes, (column) => column.notNull())
      .addColumn("created_at", engine.integer, (column) => column.notNull())
      .addColumn("retired_at", engine.integer)
      .compile().sql,
    engine
      .createTable(schema, "secret")
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("key_id", "text", (column) => column.notNull())
      .addColumn("nonce", engine.bytes, (column) => column.notNull())
      .addColumn("sealed", engine.bytes, (column) => column.notNull())
      .addColumn("created_at", engine.integer, (column) => column.notNull())
      .addColumn("changed_at", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("secret_primary_key", ["scope", "name"])
      .compile().sql,
  ],
};

import type { Migration } from "../../../db/index.ts";

/** Origins of results and files, kept for later processes. */
export const labels: Migration = {
  version: 23,
  name: "labels",
  statements: (schema, engine) => [
    // What an outcome of before may hold is not known.
    schema
      .alterTable("call_outcome")
      .addColumn("private", engine.integer, (column) => column.notNull().defaultTo(1))
      .compile().sql,
    schema.alterTable("call_outcome").addColumn("hosts", "text").compile().sql,
    engine
      .createTable(schema, "untrusted_file")
      .addColumn("path", "text", (column) => column.primaryKey().notNull())
      .addColumn("call_id", "text", (column) => column.notNull())
      .addColumn("at", engine.integer, (column) => column.notNull())
      .compile().sql,
    schema.createIndex("untrusted_file_at").on("untrusted_file").column("at").compile().sql,
  ],
};

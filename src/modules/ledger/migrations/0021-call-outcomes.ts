import type { Migration } from "../../../db/index.ts";

/** Whole outcomes of calls, until the caller has stored them itself. */
export const callOutcomes: Migration = {
  version: 21,
  name: "call-outcomes",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "call_outcome")
      .addColumn("call_id", "text", (column) => column.primaryKey().notNull())
      .addColumn("text", "text", (column) => column.notNull())
      .addColumn("success", engine.integer, (column) => column.notNull())
      .addColumn("code", "text")
      .addColumn("artifact_id", "text")
      .addColumn("notes", "text", (column) => column.notNull())
      .addColumn("trust", "text", (column) => column.notNull())
      .addColumn("at", engine.integer, (column) => column.notNull())
      .compile().sql,
    schema.createIndex("call_outcome_at").on("call_outcome").column("at").compile().sql,
  ],
};

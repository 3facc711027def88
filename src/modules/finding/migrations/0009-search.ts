import type { Migration } from "../../../db/index.ts";

/** What finding tools keeps: vectors of texts, what served which message, and the index. All but the messages can be made anew. */
export const search: Migration = {
  version: 9,
  name: "search",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "text_vector")
      .addColumn("model", "text", (column) => column.notNull())
      .addColumn("hash", "text", (column) => column.notNull())
      .addColumn("vector", engine.bytes, (column) => column.notNull())
      .addColumn("bytes", engine.integer, (column) => column.notNull())
      .addColumn("used_at", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("text_vector_key", ["model", "hash"])
      .compile().sql,
    // Sums and the choice of the oldest are read from the index alone.
    schema.createIndex("text_vector_use").on("text_vector").columns(["used_at", "bytes"]).compile().sql,
    engine
      .createTable(schema, "tool_usage")
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("tool_name", "text", (column) => column.notNull())
      .addColumn("goal_hash", "text", (column) => column.notNull())
      .addColumn("goal", "text", (column) => column.notNull())
      .addColumn("at", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("tool_usage_key", ["scope", "tool_name", "goal_hash"])
      .compile().sql,
    schema.createIndex("tool_usage_at").on("tool_usage").columns(["scope", "at"]).compile().sql,
    engine
      .createTable(schema, "search_index")
      .addColumn("form", "text", (column) => column.primaryKey().notNull())
      .addColumn("data", engine.bytes, (column) => column.notNull())
      .addColumn("saved_at", engine.integer, (column) => column.notNull())
      .compile().sql,
  ],
};

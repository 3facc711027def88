import type { Migration } from "../../../db/index.ts";

/** What is known of that which users bring: the definitions of other programs' tools, and how their hooks fared. */
export const sources: Migration = {
  version: 8,
  name: "sources",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "tool_definition")
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("source", "text", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("accepted", "text")
      .addColumn("accepted_at", engine.integer)
      .addColumn("accepted_by", "text")
      .addColumn("offered", "text")
      .addColumn("offered_at", engine.integer)
      .addColumn("seen_at", engine.integer, (column) => column.notNull())
      .addColumn("gone_at", engine.integer)
      .addPrimaryKeyConstraint("tool_definition_key", ["scope", "source", "name"])
      .compile().sql,
    engine
      .createTable(schema, "hook_statistics")
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("hook", "text", (column) => column.notNull())
      .addColumn("runs", engine.integer, (column) => column.notNull())
      .addColumn("blocks", engine.integer, (column) => column.notNull())
      .addColumn("errors", engine.integer, (column) => column.notNull())
      .addColumn("total_ms", engine.integer, (column) => column.notNull())
      .addColumn("last_run_at", engine.integer)
      .addColumn("last_error", "text")
      .addPrimaryKeyConstraint("hook_statistics_key", ["scope", "hook"])
      .compile().sql,
  ],
};

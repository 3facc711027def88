import type { Migration } from "../../../db/index.ts";

/** What is kept of calls: outputs too large to show, what files held before, and which change needs which. */
export const artifacts: Migration = {
  version: 2,
  name: "artifacts",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "artifact")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("call_id", "text", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("mime_type", "text", (column) => column.notNull())
      .addColumn("bytes", engine.integer, (column) => column.notNull())
      .addColumn("chars", engine.integer)
      .addColumn("in_file", engine.integer, (column) => column.notNull())
      .addColumn("created_at", engine.integer, (column) => column.notNull())
      .compile().sql,
    `create index "artifact_age" on "artifact" ("created_at")`,
    engine
      .createTable(schema, "artifact_part")
      .addColumn("artifact_id", "text", (column) => column.notNull())
      .addColumn("char_start", engine.integer, (column) => column.notNull())
      .addColumn("byte_start", engine.integer, (column) => column.notNull())
      .addColumn("bytes", engine.integer, (column) => column.notNull())
      .addColumn("data", engine.bytes)
      .addPrimaryKeyConstraint("artifact_part_key", ["artifact_id", "char_start"])
      .compile().sql,
    engine
      .createTable(schema, "file_change")
      .addColumn("seq", engine.integer, engine.counter)
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("call_id", "text", (column) => column.notNull())
      .addColumn("path", "text", (column) => column.notNull())
      .addColumn("former_artifact_id", "text")
      .addColumn("former_mode", engine.integer)
      .addColumn("after_hash", "text")
      .addColumn("recorded_at", engine.integer, (column) => column.notNull())
      .addColumn("undone_at", engine.integer)
      .compile().sql,
    `create index "file_change_call" on "file_change" ("scope", "call_id")`,
    `create index "file_change_former" on "file_change" ("former_artifact_id") where "undone_at" is null`,
  ],
};

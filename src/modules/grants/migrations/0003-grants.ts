import type { Migration } from "../../../db/index.ts";

/** Remembered answers. One digest has at most one grant that stands. */
export const grants: Migration = {
  version: 3,
  name: "grants",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "tool_grant")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("digest", "text", (column) => column.notNull())
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("agent_id", "text")
      .addColumn("tool_name", "text", (column) => column.notNull())
      .addColumn("tool_version", "text", (column) => column.notNull())
      .addColumn("params_text", "text")
      .addColumn("granted_by", "text", (column) => column.notNull())
      .addColumn("created_at", engine.integer, (column) => column.notNull())
      .addColumn("uses", engine.integer, (column) => column.notNull())
      .addColumn("last_used_at", engine.integer)
      .addColumn("revoked_at", engine.integer)
      .addColumn("revoked_by", "text")
      .compile().sql,
    `create unique index "tool_grant_standing" on "tool_grant" ("digest") where "revoked_at" is null`,
  ],
};

import type { Migration } from "../../../db/index.ts";

/**
 * The client, session and project folder that calls, questions and remembered answers came from, and the
 * programs in which people wait for questions. Older rows have none of it.
 */
export const callers: Migration = {
  version: 14,
  name: "callers",
  statements: (schema, engine) => [
    `alter table "ledger" add column "client_name" text`,
    `alter table "ledger" add column "client_version" text`,
    `alter table "ledger" add column "session" text`,
    `alter table "ledger" add column "project" text`,
    `alter table "approval" add column "session" text`,
    `alter table "approval" add column "project" text`,
    `alter table "tool_grant" add column "origin" text`,
    `alter table "tool_grant" add column "project" text`,
    engine
      .createTable(schema, "watcher")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("identity", "text", (column) => column.notNull())
      .addColumn("until", engine.integer, (column) => column.notNull())
      .compile().sql,
  ],
};

import type { Migration } from "../../../db/index.ts";

/**
 * Questions to people, and what remembered answers say beyond exactly one call. Earlier grants are for always, as
 * they were; a question waits at most once for the same call and the same people.
 */
export const approvals: Migration = {
  version: 6,
  name: "approvals",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "approval")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("digest", "text")
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("agent_id", "text")
      .addColumn("user_id", "text")
      .addColumn("call_id", "text", (column) => column.notNull())
      .addColumn("tool_name", "text", (column) => column.notNull())
      .addColumn("tool_title", "text", (column) => column.notNull())
      .addColumn("tool_version", "text", (column) => column.notNull())
      .addColumn("params_text", "text", (column) => column.notNull())
      .addColumn("effects", "text", (column) => column.notNull())
      .addColumn("folder", "text")
      .addColumn("reason", "text", (column) => column.notNull())
      .addColumn("offers", "text", (column) => column.notNull())
      .addColumn("approvers", "text", (column) => column.notNull())
      .addColumn("origin", "text")
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("created_at", engine.integer, (column) => column.notNull())
      .addColumn("waits_until", engine.integer)
      .addColumn("expires_at", engine.integer, (column) => column.notNull())
      .addColumn("answered_at", engine.integer)
      .addColumn("answered_by", "text")
      .addColumn("answer_reason", "text")
      .addColumn("remember", "text")
      .addColumn("used_at", engine.integer)
      .addColumn("used_by", "text")
      .compile().sql,
    `create unique index "approval_waiting" on "approval" ("digest", "approvers") where "state" = 'pending'`,
    `create index "approval_call" on "approval" ("digest")`,
    `create index "approval_age" on "approval" ("expires_at")`,
    `alter table "tool_grant" add column "patterns" text`,
    `alter table "tool_grant" add column "bounds" text`,
    `alter table "tool_grant" add column "folder" text`,
    `alter table "tool_grant" add column "term" text not null default 'always'`,
    `alter table "tool_grant" add column "session" text not null default ''`,
    `alter table "tool_grant" add column "expires_at" ${engine.integer}`,
    `alter table "tool_grant" add column "ended_at" ${engine.integer}`,
    `drop index "tool_grant_standing"`,
    `create unique index "tool_grant_standing" on "tool_grant" ("digest", "session") where "revoked_at" is null and "ended_at" is null`,
    `create index "tool_grant_tool" on "tool_grant" ("scope", "tool_name")`,
  ],
};

import type { Migration } from "../../../db/index.ts";

/** Conversations, their entries, the runs of the agent in them, and the messages that wait to be read. */
export const sessions: Migration = {
  version: 19,
  name: "sessions",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "session")
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("id", "text", (column) => column.notNull())
      .addColumn("agent_id", "text", (column) => column.notNull())
      .addColumn("channel", "text", (column) => column.notNull())
      .addColumn("address", "text", (column) => column.notNull())
      .addColumn("title", "text")
      .addColumn("epoch", engine.integer, (column) => column.notNull())
      .addColumn("last_seq", engine.integer, (column) => column.notNull())
      .addColumn("summary_seq", engine.integer)
      .addColumn("trust", "text", (column) => column.notNull())
      .addColumn("created_at", engine.integer, (column) => column.notNull())
      .addColumn("changed_at", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("session_key", ["scope", "id"])
      .addUniqueConstraint("session_address", ["scope", "agent_id", "channel", "address"])
      .compile().sql,
    schema.createIndex("session_changed").on("session").columns(["scope", "changed_at"]).compile().sql,
    engine
      .createTable(schema, "epoch")
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("session_id", "text", (column) => column.notNull())
      .addColumn("n", engine.integer, (column) => column.notNull())
      .addColumn("prefix", "text", (column) => column.notNull())
      .addColumn("began_at", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("epoch_key", ["scope", "session_id", "n"])
      .compile().sql,
    engine
      .createTable(schema, "agent_run")
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("id", "text", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("session_id", "text", (column) => column.notNull())
      .addColumn("agent_id", "text", (column) => column.notNull())
      .addColumn("parent_id", "text")
      .addColumn("root_id", "text", (column) => column.notNull())
      .addColumn("depth", engine.integer, (column) => column.notNull())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("why", "text")
      .addColumn("wait_for", "text")
      .addColumn("result", "text")
      .addColumn("settings", "text", (column) => column.notNull())
      .addColumn("trust", "text", (column) => column.notNull())
      .addColumn("steps", engine.integer, (column) => column.notNull())
      .addColumn("lease", "text")
      .addColumn("lease_until", engine.integer)
      .addColumn("created_at", engine.integer, (column) => column.notNull())
      .addColumn("changed_at", engine.integer, (column) => column.notNull())
      .addColumn("ended_at", engine.integer)
      .addPrimaryKeyConstraint("agent_run_key", ["scope", "id"])
      .compile().sql,
    schema.createIndex("run_session").on("agent_run").columns(["scope", "session_id", "state"]).compile().sql,
    schema.createIndex("run_state").on("agent_run").columns(["scope", "state", "changed_at"]).compile().sql,
    schema.createIndex("run_root").on("agent_run").columns(["scope", "root_id"]).compile().sql,
    engine
      .createTable(schema, "entry")
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("session_id", "text", (column) => column.notNull())
      .addColumn("seq", engine.integer, (column) => column.notNull())
      .addColumn("epoch", engine.integer, (column) => column.notNull())
      .addColumn("run_id", "text", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("call_id", "text")
      .addColumn("content", "text", (column) => column.notNull())
      .addColumn("tokens", engine.integer, (column) => column.notNull())
      .addColumn("trust", "text", (column) => column.notNull())
      .addColumn("private", engine.integer, (column) => column.notNull())
      .addColumn("at", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("entry_key", ["scope", "session_id", "seq"])
      .compile().sql,
    // Each call has one result.
    `${schema.createIndex("entry_result").unique().on("entry").columns(["scope", "session_id", "call_id"]).compile().sql} where kind = 'result'`,
    engine
      .createTable(schema, "inbox")
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("session_id", "text", (column) => column.notNull())
      .addColumn("n", engine.integer, (column) => column.notNull())
      .addColumn("id", "text", (column) => column.notNull())
      .addColumn("sender", "text", (column) => column.notNull())
      .addColumn("channel", "text", (column) => column.notNull())
      .addColumn("external_id", "text", (column) => column.notNull())
      .addColumn("parts", "text", (column) => column.notNull())
      .addColumn("how", "text", (column) => column.notNull())
      .addColumn("trust", "text", (column) => column.notNull())
      .addColumn("taken_seq", engine.integer)
      .addColumn("at", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("inbox_key", ["scope", "session_id", "n"])
      .addUniqueConstraint("inbox_external", ["scope", "channel", "external_id"])
      .compile().sql,
  ],
};

import type { SchemaModule } from "kysely";
import type { Engine, Migration } from "../../../db/index.ts";

/** The chain of what calls did, where it ends, and which processes are at work on it. */
export const ledger: Migration = {
  version: 1,
  name: "ledger",
  statements: (schema, engine) => [
    createLedger(schema, engine),
    ...engine.appendOnly("ledger"),
    // The one index: each more is a page more to write in every commit.
    `create index "ledger_call" on "ledger" ("call_id")`,
    engine
      .createTable(schema, "ledger_head")
      .addColumn("id", engine.integer, (column) => column.primaryKey())
      .addColumn("seq", engine.integer, (column) => column.notNull())
      .addColumn("hash", "text", (column) => column.notNull())
      .compile().sql,
    `insert into "ledger_head" ("id", "seq", "hash") values (1, 0, '')`,
    engine
      .createTable(schema, "run")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("first_seq", engine.integer, (column) => column.notNull())
      .addColumn("started_at", engine.integer, (column) => column.notNull())
      .compile().sql,
  ],
};

function createLedger(schema: SchemaModule, engine: Engine): string {
  const { integer } = engine;
  return engine
    .createTable(schema, "ledger")
    .addColumn("seq", integer, (column) => column.primaryKey())
    .addColumn("call_id", "text", (column) => column.notNull())
    .addColumn("event", "text", (column) => column.notNull())
    .addColumn("start_seq", integer)
    .addColumn("run_id", "text", (column) => column.notNull())
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("started_at", integer)
    .addColumn("tool_name", "text", (column) => column.notNull())
    .addColumn("tool_version", "text")
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("task_id", "text")
    .addColumn("agent_id", "text")
    .addColumn("user_id", "text")
    .addColumn("channel", "text")
    .addColumn("idempotent", integer)
    .addColumn("decision", "text")
    .addColumn("decided_by", "text")
    .addColumn("params_digest", "text")
    .addColumn("params_text", "text")
    .addColumn("outcome", "text")
    .addColumn("code", "text")
    .addColumn("summary", "text")
    .addColumn("notes", "text")
    .addColumn("artifact_id", "text")
    .addColumn("still_running", integer)
    .addColumn("duration_ms", engine.real)
    .addColumn("prev_hash", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .compile().sql;
}

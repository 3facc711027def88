import type { Migration } from "../../../db/index.ts";

/** Work that outlives the process it was given to. */
export const jobs: Migration = {
  version: 13,
  name: "jobs",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "job")
      .addColumn("seq", engine.integer, (column) => engine.counter(column))
      .addColumn("id", "text", (column) => column.notNull().unique())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("key", "text", (column) => column.notNull())
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("payload", "text", (column) => column.notNull())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("attempts", engine.integer, (column) => column.notNull())
      .addColumn("run_at", engine.integer, (column) => column.notNull())
      .addColumn("lease", "text")
      .addColumn("lease_until", engine.integer)
      .addColumn("last_error", "text")
      .addColumn("created_at", engine.integer, (column) => column.notNull())
      .addColumn("ended_at", engine.integer)
      .compile().sql,
    // Of each key at most one waits.
    `${schema.createIndex("job_waiting").unique().on("job").columns(["kind", "scope", "key"]).compile().sql} where state in ('pending', 'failed')`,
    schema.createIndex("job_due").on("job").columns(["state", "kind", "run_at"]).compile().sql,
    schema.createIndex("job_ended").on("job").columns(["state", "ended_at"]).compile().sql,
  ],
};

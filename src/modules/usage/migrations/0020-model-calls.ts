import type { Migration } from "../../../db/index.ts";

const added = [
  "ended_at",
  "cost_micros",
  "input_tokens",
  "output_tokens",
  "purpose",
  "error",
  "priced",
] as const;

/** Requests to models, with their tokens and cost. */
export const modelCalls: Migration = {
  version: 20,
  name: "model-calls",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "model_call")
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("id", "text", (column) => column.notNull())
      .addColumn("process_id", "text", (column) => column.notNull())
      .addColumn("run_id", "text")
      .addColumn("root_id", "text")
      .addColumn("session_id", "text")
      .addColumn("agent_id", "text")
      .addColumn("project", "text")
      .addColumn("step", engine.integer)
      .addColumn("model", "text", (column) => column.notNull())
      .addColumn("purpose", "text", (column) => column.notNull())
      .addColumn("source", "text", (column) => column.notNull())
      .addColumn("started_at", engine.integer, (column) => column.notNull())
      .addColumn("ended_at", engine.integer)
      .addColumn("stop", "text")
      .addColumn("input_tokens", engine.integer, (column) => column.notNull())
      .addColumn("cache_read_tokens", engine.integer, (column) => column.notNull())
      .addColumn("cache_write_tokens", engine.integer, (column) => column.notNull())
      .addColumn("output_tokens", engine.integer, (column) => column.notNull())
      .addColumn("reasoning_tokens", engine.integer, (column) => column.notNull())
      .addColumn("cost_micros", engine.integer)
      .addColumn("priced", "text", (column) => column.notNull())
      .addColumn("error", "text")
      .addPrimaryKeyConstraint("model_call_key", ["scope", "id"])
      .compile().sql,
    // Budgets are added up before each request, from these two alone.
    schema
      .createIndex("model_call_at")
      .on("model_call")
      .columns(["scope", "started_at", "agent_id", ...added])
      .compile().sql,
    schema
      .createIndex("model_call_root")
      .on("model_call")
      .columns(["scope", "root_id", "run_id", "started_at", ...added])
      .compile().sql,
    schema.createIndex("model_call_run").on("model_call").columns(["scope", "run_id"]).compile().sql,
    `${schema.createIndex("model_call_open").on("model_call").columns(["process_id"]).compile().sql} where ended_at is null`,
  ],
};

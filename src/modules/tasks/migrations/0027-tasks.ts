import type { Migration } from "../../../db/index.ts";

/** Tasks with their dependencies, notes, results and history. */
export const tasks: Migration = {
  version: 27,
  name: "tasks",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "task")
      .addColumn("seq", engine.integer, (column) => engine.counter(column))
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("id", "text", (column) => column.notNull())
      .addColumn("project_id", "text", (column) => column.notNull())
      .addColumn("parent_id", "text")
      .addColumn("title", "text", (column) => column.notNull())
      .addColumn("type", "text")
      .addColumn("priority", engine.integer, (column) => column.notNull())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("verification", "text", (column) => column.notNull())
      .addColumn("requires_approval", engine.integer, (column) => column.notNull())
      .addColumn("retries", engine.integer, (column) => column.notNull())
      .addColumn("max_retries", engine.integer, (column) => column.notNull())
      .addColumn("profile_id", "text")
      .addColumn("workspace_id", "text")
      .addColumn("branch", "text")
      .addColumn("pr_url", "text")
      .addColumn("is_plan_subtask", engine.integer, (column) => column.notNull())
      .addColumn("agent_id", "text")
      .addColumn("lease", "text")
      .addColumn("lease_until", engine.integer)
      .addColumn("run_id", "text")
      .addColumn("session_id", "text")
      .addColumn("resume_after", engine.integer)
      .addColumn("trust", "text", (column) => column.notNull())
      .addColumn("idempotency_key", "text")
      .addColumn("version", engine.integer, (column) => column.notNull())
      .addColumn("created_at", engine.integer, (column) => column.notNull())
      .addColumn("changed_at", engine.integer, (column) => column.notNull())
      .addColumn("state_at", engine.integer, (column) => column.notNull())
      .addColumn("archived_at", engine.integer)
      // Long texts are the last columns, so that a row is read without them.
      .addColumn("description", "text", (column) => column.notNull())
      .addUniqueConstraint("task_id", ["scope", "id"])
      .compile().sql,
    // Chains of thousands are walked in the index alone, without the rows of tasks.
    schema.createIndex("task_standing").on("task").columns(["scope", "id", "state"]).compile().sql,
    // Lists and counts are read from these two indexes alone, however long the tasks' texts are.
    schema
      .createIndex("task_state")
      .on("task")
      .columns(["scope", "archived_at", "state", "priority", "seq"])
      .compile().sql,
    schema
      .createIndex("task_project")
      .on("task")
      .columns(["scope", "archived_at", "project_id", "state", "priority", "seq"])
      .compile().sql,
    `${schema.createIndex("task_parent").on("task").columns(["scope", "parent_id"]).compile().sql} where parent_id is not null`,
    `${schema.createIndex("task_run").on("task").columns(["scope", "run_id"]).compile().sql} where run_id is not null`,
    `${schema.createIndex("task_lease").on("task").columns(["scope", "lease_until"]).compile().sql} where lease_until is not null`,
    `${schema.createIndex("task_resume").on("task").columns(["scope", "resume_after"]).compile().sql} where resume_after is not null`,
    `${schema.createIndex("task_once").unique().on("task").columns(["scope", "idempotency_key"]).compile().sql} where idempotency_key is not null`,
    engine
      .createTable(schema, "task_dependency", { clustered: true })
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("task_id", "text", (column) => column.notNull())
      .addColumn("depends_on", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("task_dependency_key", ["scope", "task_id", "depends_on"])
      .compile().sql,
    schema
      .createIndex("task_dependant")
      .on("task_dependency")
      .columns(["scope", "depends_on", "task_id"])
      .compile().sql,
    engine
      .createTable(schema, "task_note")
      .addColumn("seq", engine.integer, (column) => engine.counter(column))
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("task_id", "text", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("label", "text", (column) => column.notNull())
      .addColumn("text", "text", (column) => column.notNull())
      .addColumn("trust", "text", (column) => column.notNull())
      .addColumn("at", engine.integer, (column) => column.notNull())
      .compile().sql,
    schema.createIndex("task_note_task").on("task_note").columns(["scope", "task_id"]).compile().sql,
    engine
      .createTable(schema, "task_result")
      .addColumn("seq", engine.integer, (column) => engine.counter(column))
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("task_id", "text", (column) => column.notNull())
      .addColumn("agent_id", "text")
      .addColumn("run_id", "text")
      .addColumn("attempt", engine.integer, (column) => column.notNull())
      .addColumn("outcome", "text", (column) => column.notNull())
      .addColumn("summary", "text", (column) => column.notNull())
      .addColumn("files_changed", "text", (column) => column.notNull())
      .addColumn("error", "text")
      .addColumn("tokens", engine.integer, (column) => column.notNull())
      .addColumn("trust", "text", (column) => column.notNull())
      .addColumn("at", engine.integer, (column) => column.notNull())
      .compile().sql,
    schema.createIndex("task_result_task").on("task_result").columns(["scope", "task_id"]).compile().sql,
    engine
      .createTable(schema, "task_event")
      .addColumn("seq", engine.integer, (column) => engine.counter(column))
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("task_id", "text", (column) => column.notNull())
      .addColumn("project_id", "text", (column) => column.notNull())
      .addColumn("event", "text", (column) => column.notNull())
      .addColumn("from_state", "text")
      .addColumn("to_state", "text")
      .addColumn("by", "text")
      .addColumn("why", "text")
      .addColumn("at", engine.integer, (column) => column.notNull())
      .compile().sql,
    schema.createIndex("task_event_scope").on("task_event").columns(["scope", "seq"]).compile().sql,
    schema.createIndex("task_event_task").on("task_event").columns(["scope", "task_id", "seq"]).compile().sql,
    schema
      .createIndex("task_event_project")
      .on("task_event")
      .columns(["scope", "project_id", "seq"])
      .compile().sql,
  ],
};

import type { Migration } from "../../../db/index.ts";

/**
 * Counts leases that ended without a result. Adds indexes for the tasks that agents were given on a day, for the subtasks
 * of a task in the order of lists, and for the questions of a call.
 */
export const taskUpkeep: Migration = {
  version: 30,
  name: "task-upkeep",
  statements: (schema, engine) => [
    `alter table "task" add column "losses" ${engine.integer} not null default 0`,
    `${schema.createIndex("task_started").on("task").columns(["scope", "created_at"]).compile().sql} where run_id is not null`,
    `drop index "task_parent"`,
    `${schema.createIndex("task_parent").on("task").columns(["scope", "parent_id", "archived_at", "state", "priority", "seq"]).compile().sql} where parent_id is not null`,
    schema.createIndex("approval_asker").on("approval").columns(["scope", "call_id"]).compile().sql,
  ],
};

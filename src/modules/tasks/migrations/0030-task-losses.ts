import type { Migration } from "../../../db/index.ts";

/** How many leases of a task ended without a word from whoever had it, and the tasks of agents by the day of their start. */
export const taskLosses: Migration = {
  version: 30,
  name: "task-losses",
  statements: (schema, engine) => [
    `alter table "task" add column "losses" ${engine.integer} not null default 0`,
    `${schema.createIndex("task_started").on("task").columns(["scope", "created_at"]).compile().sql} where run_id is not null`,
  ],
};

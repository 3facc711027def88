import type { Migration } from "../../../db/index.ts";

/** Todos of people. */
export const todos: Migration = {
  version: 28,
  name: "todos",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "todo")
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("number", engine.integer, (column) => column.notNull())
      .addColumn("title", "text", (column) => column.notNull())
      .addColumn("steps", "text", (column) => column.notNull())
      .addColumn("due", engine.integer)
      .addColumn("snoozed_until", engine.integer)
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("trust", "text", (column) => column.notNull())
      .addColumn("created_at", engine.integer, (column) => column.notNull())
      .addColumn("changed_at", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("todo_number", ["scope", "number"])
      .compile().sql,
  ],
};

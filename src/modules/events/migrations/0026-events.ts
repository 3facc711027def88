import type { Migration } from "../../../db/index.ts";

/** What changed, for whoever follows the store from another process. */
export const events: Migration = {
  version: 26,
  name: "events",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "event")
      .addColumn("seq", engine.integer, (column) => engine.counter(column))
      .addColumn("at", engine.integer, (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("id", "text", (column) => column.notNull())
      .compile().sql,
  ],
};

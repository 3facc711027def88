import type { Migration } from "../../../db/index.ts";

/**
 * Vectors of entries, and the codes that they are scanned by. All of it can be made anew from the entries; which texts
 * are still to be embedded is what has a higher number than the model's `embedded`.
 */
export const memoryVectors: Migration = {
  version: 11,
  name: "memory-vectors",
  statements: (schema, engine) => [
    // A text that changes gets a new number, the highest there ever was.
    engine
      .createTable(schema, "memory_text")
      .addColumn("number", engine.integer, engine.counter)
      .addColumn("entry_seq", engine.integer, (column) => column.notNull().unique())
      .compile().sql,
    engine
      .createTable(schema, "memory_model")
      .addColumn("id", engine.integer, (column) => column.primaryKey().notNull())
      .addColumn("name", "text", (column) => column.notNull().unique())
      .addColumn("dimension", engine.integer, (column) => column.notNull())
      .addColumn("embedded", engine.integer, (column) => column.notNull())
      .addColumn("vectors", engine.integer, (column) => column.notNull())
      .addColumn("used_at", engine.integer, (column) => column.notNull())
      .addColumn("worker", "text")
      .addColumn("worker_until", engine.integer)
      .compile().sql,
    // Its key says the entry and the model: a search reads hundreds, and a number is found fastest.
    engine
      .createTable(schema, "memory_vector")
      .addColumn("id", engine.integer, (column) => column.primaryKey().notNull())
      .addColumn("chunk", engine.integer, (column) => column.notNull())
      .addColumn("scale", engine.real, (column) => column.notNull())
      .addColumn("vector", engine.bytes, (column) => column.notNull())
      .compile().sql,
    engine
      .createTable(schema, "memory_code_set")
      .addColumn("id", engine.integer, engine.counter)
      .addColumn("model_id", engine.integer, (column) => column.notNull())
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("revision", engine.integer, (column) => column.notNull())
      .addUniqueConstraint("memory_code_set_key", ["model_id", "scope"])
      .compile().sql,
    engine
      .createTable(schema, "memory_code")
      .addColumn("set_id", engine.integer, (column) => column.notNull())
      .addColumn("chunk", engine.integer, (column) => column.notNull())
      .addColumn("revision", engine.integer, (column) => column.notNull())
      .addColumn("count", engine.integer, (column) => column.notNull())
      .addColumn("data", engine.bytes, (column) => column.notNull())
      .addPrimaryKeyConstraint("memory_code_key", ["set_id", "chunk"])
      .compile().sql,
  ],
};

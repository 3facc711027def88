import type { SchemaModule } from "kysely";
import type { Engine } from "../../../db/index.ts";

/**
 * The tables of words and names by which entries are found, scope by scope: no search reads what another
 * scope remembers, and how rare a word is is what it is in the scope.
 */
export function memoryIndexTables(schema: SchemaModule, engine: Engine): readonly string[] {
  return [
    // How many entries the scope finds, and how many words those have.
    engine
      .createTable(schema, "memory_scope")
      .addColumn("id", engine.integer, engine.counter)
      .addColumn("scope", "text", (column) => column.notNull().unique())
      .addColumn("entries", engine.integer, (column) => column.notNull())
      .addColumn("words", engine.integer, (column) => column.notNull())
      .compile().sql,
    // `counts`: how often the entry says the word, and how long it is; see PostingCounts.
    engine
      .createTable(schema, "memory_word", { clustered: true })
      .addColumn("scope_id", engine.integer, (column) => column.notNull())
      .addColumn("word", "text", (column) => column.notNull())
      .addColumn("entry_seq", engine.integer, (column) => column.notNull())
      .addColumn("counts", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("memory_word_key", ["scope_id", "word", "entry_seq"])
      .compile().sql,
    // `backwards`: the name read from its end, so that one with a slip in its first half is found too.
    engine
      .createTable(schema, "memory_name", { clustered: true })
      .addColumn("scope_id", engine.integer, (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("entry_seq", engine.integer, (column) => column.notNull())
      .addColumn("backwards", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("memory_name_key", ["scope_id", "name", "entry_seq"])
      .compile().sql,
    schema.createIndex("memory_name_backwards").on("memory_name").columns(["scope_id", "backwards"]).compile()
      .sql,
  ];
}

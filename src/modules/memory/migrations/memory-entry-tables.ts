import type { SchemaModule } from "kysely";
import type { Engine } from "../../../db/index.ts";

/**
 * Entries, what they were before, and who else has them. What follows an entry goes with it when it is erased. The
 * texts, which may be long, are the last of their rows: to read the rest of a row is not to read them.
 */
export function memoryEntryTables(schema: SchemaModule, engine: Engine): readonly string[] {
  return [
    engine
      .createTable(schema, "memory_entry")
      .addColumn("seq", engine.integer, engine.counter)
      .addColumn("id", "text", (column) => column.notNull().unique())
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("label", "text")
      .addColumn("tier", "text", (column) => column.notNull())
      .addColumn("category", "text")
      .addColumn("permission", "text", (column) => column.notNull())
      .addColumn("pinned", engine.integer, (column) => column.notNull())
      .addColumn("trust", "text", (column) => column.notNull())
      .addColumn("session", "text")
      .addColumn("position", engine.integer)
      .addColumn("speaker", "text")
      .addColumn("role", "text")
      .addColumn("channel", "text")
      .addColumn("at", engine.integer, (column) => column.notNull())
      .addColumn("valid_from", engine.integer)
      .addColumn("valid_to", engine.integer)
      .addColumn("superseded_by", "text")
      .addColumn("created_at", engine.integer, (column) => column.notNull())
      .addColumn("changed_at", engine.integer, (column) => column.notNull())
      .addColumn("deleted_at", engine.integer)
      .addColumn("revision", engine.integer, (column) => column.notNull())
      .addColumn("version", engine.integer, (column) => column.notNull())
      .addColumn("last_version", engine.integer, (column) => column.notNull())
      .addColumn("depth", engine.integer, (column) => column.notNull())
      .addColumn("undo_depth", engine.integer, (column) => column.notNull())
      .addColumn("redo_depth", engine.integer, (column) => column.notNull())
      .addColumn("change", "text", (column) => column.notNull())
      .addColumn("author", "text", (column) => column.notNull())
      .addColumn("changed_by", "text")
      .addColumn("title", "text")
      .addColumn("tags", "text")
      .addColumn("names", "text")
      .addColumn("text", "text", (column) => column.notNull())
      .compile().sql,
    `${index(schema, "label", ["scope", "label"], { unique: true })} where label is not null and deleted_at is null`,
    `${index(schema, "pinned", ["scope", "pinned", "changed_at"])} where pinned = 1`,
    `${index(schema, "place", ["scope", "session", "position"])} where session is not null`,
    index(schema, "changed", ["scope", "changed_at"]),
    index(schema, "kind", ["scope", "kind", "changed_at"]),
    index(schema, "tier", ["scope", "tier", "changed_at"]),
    index(schema, "at", ["scope", "at"]),
    engine
      .createTable(schema, "memory_version")
      .addColumn("entry_seq", engine.integer, (column) =>
        column.notNull().references("memory_entry.seq").onDelete("cascade"),
      )
      .addColumn("version", engine.integer, (column) => column.notNull())
      .addColumn("depth", engine.integer, (column) => column.notNull())
      .addColumn("chars", engine.integer, (column) => column.notNull())
      .addColumn("at", engine.integer, (column) => column.notNull())
      .addColumn("change", "text", (column) => column.notNull())
      .addColumn("author", "text", (column) => column.notNull())
      .addColumn("trust", "text", (column) => column.notNull())
      .addColumn("deleted_at", engine.integer)
      .addColumn("facts", "text", (column) => column.notNull())
      .addColumn("text", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("memory_version_key", ["entry_seq", "version"])
      .compile().sql,
    engine
      .createTable(schema, "memory_share", { clustered: true })
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("entry_seq", engine.integer, (column) =>
        column.notNull().references("memory_entry.seq").onDelete("cascade"),
      )
      .addColumn("permission", "text", (column) => column.notNull())
      .addColumn("shared_at", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("memory_share_key", ["scope", "entry_seq"])
      .compile().sql,
    schema.createIndex("memory_share_entry").on("memory_share").column("entry_seq").compile().sql,
  ];
}

function index(
  schema: SchemaModule,
  name: string,
  columns: readonly string[],
  { unique = false } = {},
): string {
  const made = schema
    .createIndex(`memory_entry_${name}`)
    .on("memory_entry")
    .columns([...columns]);
  return (unique ? made.unique() : made).compile().sql;
}

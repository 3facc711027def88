import type { Migration } from "../../../db/index.ts";

/** What entries are about, and how that hangs together: names, who says them, edges, who says those. */
export const memoryGraph: Migration = {
  version: 12,
  name: "memory-graph",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "graph_node")
      .addColumn("id", "text", (column) => column.primaryKey().notNull())
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("folded", "text", (column) => column.notNull())
      .addColumn("type", "text", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addUniqueConstraint("graph_node_name", ["scope", "folded", "type"])
      .compile().sql,
    engine
      .createTable(schema, "graph_name", { clustered: true })
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("word", "text", (column) => column.notNull())
      .addColumn("folded", "text", (column) => column.notNull())
      .addColumn("node_id", "text", (column) => column.notNull())
      .addColumn("backwards", "text", (column) => column.notNull())
      .addPrimaryKeyConstraint("graph_name_key", ["scope", "word", "folded", "node_id"])
      .compile().sql,
    schema.createIndex("graph_name_backwards").on("graph_name").columns(["scope", "backwards"]).compile().sql,
    schema.createIndex("graph_name_node").on("graph_name").column("node_id").compile().sql,
    engine
      .createTable(schema, "graph_mention", { clustered: true })
      .addColumn("node_id", "text", (column) => column.notNull())
      .addColumn("folded", "text", (column) => column.notNull())
      .addColumn("entry_id", "text", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("said_at", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("graph_mention_key", ["node_id", "folded", "entry_id"])
      .compile().sql,
    schema
      .createIndex("graph_mention_newest")
      .on("graph_mention")
      .columns(["node_id", "said_at", "entry_id"])
      .compile().sql,
    schema.createIndex("graph_mention_entry").on("graph_mention").column("entry_id").compile().sql,
    engine
      .createTable(schema, "graph_edge")
      .addColumn("id", engine.integer, engine.counter)
      .addColumn("source", "text", (column) => column.notNull())
      .addColumn("target", "text", (column) => column.notNull())
      .addColumn("relation", "text", (column) => column.notNull())
      .addColumn("weight", engine.integer, (column) => column.notNull())
      .addUniqueConstraint("graph_edge_key", ["source", "target", "relation"])
      .compile().sql,
    schema.createIndex("graph_edge_out").on("graph_edge").columns(["source", "weight"]).compile().sql,
    schema.createIndex("graph_edge_in").on("graph_edge").columns(["target", "weight"]).compile().sql,
    engine
      .createTable(schema, "graph_statement", { clustered: true })
      .addColumn("edge_id", engine.integer, (column) => column.notNull())
      .addColumn("entry_id", "text", (column) => column.notNull())
      .addColumn("valid_from", engine.integer)
      .addColumn("valid_to", engine.integer)
      .addColumn("said_at", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("graph_statement_key", ["edge_id", "entry_id"])
      .compile().sql,
    schema
      .createIndex("graph_statement_newest")
      .on("graph_statement")
      .columns(["edge_id", "said_at", "entry_id"])
      .compile().sql,
    schema.createIndex("graph_statement_entry").on("graph_statement").column("entry_id").compile().sql,
  ],
};

import type { Migration } from "../../../db/index.ts";

const entry = `insert or ignore into "ledger_block" ("kind", "value", "project", "block") select distinct`;
const first = `from "ledger" where "start_seq" is null`;

/** The index of values by block of the ledger, and how far it reaches. */
export const ledgerBlocks: Migration = {
  version: 18,
  name: "ledger-blocks",
  statements: (schema, engine) => [
    engine
      .createTable(schema, "ledger_block", { clustered: true })
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("value", "text", (column) => column.notNull())
      .addColumn("project", "text", (column) => column.notNull())
      .addColumn("block", engine.integer, (column) => column.notNull())
      .addPrimaryKeyConstraint("ledger_block_key", ["kind", "value", "project", "block"])
      .compile().sql,
    `alter table "ledger_head" add column "noted" ${engine.integer} not null default 0`,
    `${entry} 'any', '', coalesce("project", ''), "seq" / 1024 ${first}`,
    `${entry} 'hour', printf('%08d', max(0, "started_at" / 3600000)), coalesce("project", ''), "seq" / 1024 ${first} and "started_at" is not null`,
    ...[
      ["tool", "tool_name"],
      ["client", "client_name"],
      ["task", "task_id"],
      ["session", "session"],
      ["agent", "agent_id"],
    ].map(
      ([kind, column]) =>
        `${entry} '${kind}', "${column}", coalesce("project", ''), "seq" / 1024 ${first} and "${column}" is not null`,
    ),
    `${entry} 'state', coalesce("outcome", "event"), '', coalesce("start_seq", "seq") / 1024 from "ledger" where "event" <> 'started'`,
    `update "ledger_head" set "noted" = "seq"`,
  ],
};

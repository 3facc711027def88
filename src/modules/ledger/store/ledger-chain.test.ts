import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { storeSchema } from "../../../app/store/index.ts";
import { systemClock } from "../../../base/index.ts";
import type { TypedDatabase } from "../../../db/index.ts";
import { openSqlite } from "../../../db/sqlite/sqlite.ts";
import { SqliteConnection } from "../../../db/sqlite/sqlite-connection.ts";
import { kyselyOver } from "../../../db/sqlite/sqlite-driver.ts";
import { chainSql } from "./ledger-chain.ts";
import { type LedgerRow, ledgerColumns, type Tables } from "./tables.ts";

const options = {
  path: ":memory:",
  schema: storeSchema,
  durability: "normal",
  busyTimeoutMs: 1000,
  clock: systemClock,
} as const;

test("chainSql is what Kysely makes of the same statements", () => {
  const connection = new SqliteConnection(new DatabaseSync(":memory:"), options);
  const db = kyselyOver<Tables>(connection);
  const row = Object.fromEntries(ledgerColumns.map((column) => [column, null])) as unknown as LedgerRow;
  expect(chainSql).toEqual({
    readHead: db
      .selectFrom("ledger_head")
      .select(["seq", "hash", "noted"])
      .where("id", "=", 1)
      .compile()
      .sql.replace("?", "1"),
    moveHead: db
      .updateTable("ledger_head")
      .set({ seq: 1, hash: "", noted: 1 })
      .where("id", "=", 1)
      .compile()
      .sql.replace(/\?$/, "1"),
    insertRow: db.insertInto("ledger").values(row).compile().sql,
  });
  connection.close();
});

test("ledgerColumns has every column of the table, and the hash covers them in that order", async () => {
  const database: TypedDatabase<Tables> = await openSqlite(options);
  const db = await database.queries();
  const tables = await db.introspection.getTables();
  const ledger = tables.find(({ name }) => name === "ledger");
  expect(ledger?.columns.map(({ name }) => name)).toEqual(ledgerColumns);
  await database.close();
});

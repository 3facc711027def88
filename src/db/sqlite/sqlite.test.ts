import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { systemClock } from "../../base/index.ts";
import type { Schema, TypedDatabase } from "../index.ts";
import { openSqlite } from "./sqlite.ts";

interface Tables {
  readonly note: { readonly text: string };
}

const schema: Schema = {
  version: 1,
  migrations: async () => [
    {
      version: 1,
      name: "notes",
      statements: (builder, engine) => [
        engine
          .createTable(builder, "note")
          .addColumn("text", "text", (column) => column.notNull())
          .compile().sql,
      ],
    },
  ],
  probes: [],
};
const options = {
  path: ":memory:",
  schema,
  durability: "normal",
  busyTimeoutMs: 1000,
  clock: systemClock,
} as const;

test("openSqlite() has SQLite sync each commit for durability full, and the log's turns for normal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-sqlite-"));
  for (const [durability, synchronous] of [
    ["normal", 1],
    ["full", 2],
  ] as const) {
    const database = await openSqlite({ ...options, path: join(folder, `${durability}.db`), durability });
    const { rows } = await sql`pragma synchronous`.execute(await database.queries());
    expect(rows).toMatchObject([{ synchronous }]);
    await database.close();
  }
  rmSync(folder, { recursive: true });
});

test("Database.write() undoes everything where a part of it fails", async () => {
  const database: TypedDatabase<Tables> = await openSqlite(options);
  const fault = new Error("half way");
  await expect(
    database.write(async (tx) => {
      await tx.insertInto("note").values({ text: "one" }).execute();
      throw fault;
    }),
  ).rejects.toBe(fault);
  const db = await database.queries();
  expect(await db.selectFrom("note").selectAll().execute()).toEqual([]);
  await database.close();
});

test("Database.transact() waits for a transaction of the same process, and comes after it", async () => {
  const database: TypedDatabase<Tables> = await openSqlite(options);
  const order: string[] = [];
  const written = database.write(async (tx) => {
    await tx.insertInto("note").values({ text: "one" }).execute();
    await new Promise((resolve) => void setImmediate(resolve));
    await tx.deleteFrom("note").execute();
    order.push("written");
  });
  await new Promise((resolve) => void setImmediate(resolve));
  const appended = database.transact("test", () => void order.push("appended"));
  await Promise.all([written, appended]);
  expect(order).toEqual(["written", "appended"]);
  await database.close();
});

test("Database.write() makes one change as durable as can be, and the next as the store was opened for", async () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-durable-"));
  const database = await openSqlite({ ...options, path: join(folder, "haft.db") });
  const synchronous = async (durability?: { readonly durability: "full" }) =>
    database.write(async (tx) => {
      const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(tx);
      return rows[0]?.synchronous;
    }, durability);
  const [normal, full] = [1, 2];
  expect(await synchronous()).toBe(normal);
  expect(await Promise.all([synchronous({ durability: "full" }), synchronous()])).toEqual([full, normal]);
  const failed = database.write(() => Promise.reject(new Error("given up")), { durability: "full" });
  await expect(failed).rejects.toThrow("given up");
  expect(await synchronous()).toBe(normal);
  await database.close();
  rmSync(folder, { recursive: true });
});

test("a query gives its rows as objects by column, whether it names its columns or not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-sqlite-"));
  const path = join(folder, "rows.db");
  const [one, other] = [await openSqlite({ ...options, path }), await openSqlite({ ...options, path })];
  const db = await one.queries();
  await sql`insert into note (text) values (${"a"}), (${"b"})`.execute(db);
  const named = () => sql`select text, length(text) as size from note order by text`.execute(db);
  const all = () => sql`select * from note order by text`.execute(db);
  expect((await named()).rows).toEqual([
    { text: "a", size: 1 },
    { text: "b", size: 1 },
  ]);
  expect((await all()).rows).toMatchObject([{ text: "a" }, { text: "b" }]);

  // Another process brings the table up to date meanwhile.
  const elsewhere = await other.queries();
  for (const statement of [
    "create table changed (by_whom text not null, text text not null) strict",
    "insert into changed select 'ada', text from note",
    "drop table note",
    "alter table changed rename to note",
  ])
    await sql.raw(statement).execute(elsewhere);
  expect((await all()).rows).toMatchObject([
    { text: "a", by_whom: "ada" },
    { text: "b", by_whom: "ada" },
  ]);
  expect((await named()).rows).toMatchObject([{ text: "a" }, { text: "b" }]);
  await Promise.all([one.close(), other.close()]);
  rmSync(folder, { recursive: true });
});

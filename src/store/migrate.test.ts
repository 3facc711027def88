import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { sampleCall, sampleOutcome } from "../../test/fixtures/store/sample-call.ts";
import { systemClock } from "../base/index.ts";
import { SqlLedger } from "./ledger/sql-ledger.ts";
import { openStore } from "./index.ts";
import { migrations } from "./migrations/index.ts";
import { openSqlite } from "./sqlite.ts";
import { SqliteConnection } from "./sqlite-connection.ts";
import { kyselyOver } from "./sqlite-driver.ts";
import { sqliteEngine } from "./sqlite-engine.ts";
import { schemaVersion } from "./tables.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-migrate-"));
afterAll(() => rmSync(folder, { recursive: true }));

const options = { durability: "normal", busyTimeoutMs: 1000, clock: systemClock } as const;

/** What each version's store holds when a user of it comes to this one. Add an entry with each migration. */
const contents: Readonly<Record<number, (db: DatabaseSync) => void>> = {
  1: () => {},
  2: (db) => {
    db.exec(`insert into artifact values ('a_1', 's', 'c_1', 'former', 'text/plain', 3, 3, 0, 1000)`);
    db.exec(`insert into artifact_part values ('a_1', 0, 0, 3, x'6f6c64')`);
    db.exec(`insert into file_change values (1, 's', 'c_1', '/file', 'a_1', 420, null, 1000, null)`);
  },
  3: () => {},
};

let files = 0;

/** A store as the haft of that version left it. */
async function makeVersion(version: number): Promise<string> {
  const path = join(folder, `${files++}.db`);
  const database = await openSqlite({ ...options, path, targetVersion: version });
  const ledger = new SqlLedger(database, { clock: systemClock, runId: "r_1" });
  await ledger.start(sampleCall("c_1"));
  await ledger.end(sampleCall("c_1"), sampleOutcome());
  await ledger.close();
  await database.close();
  const db = new DatabaseSync(path);
  for (let each = 1; each <= version; each++) contents[each]?.(db);
  db.close();
  return path;
}

function schemaOf(path: string): unknown[] {
  const db = new DatabaseSync(path);
  const schema = db
    .prepare("select type, name, sql from sqlite_schema where name not like 'sqlite_%' order by type, name")
    .all();
  db.close();
  return schema;
}

test("migrations are numbered from 1 without a gap, and lead to the version that the tables have", () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  expect(migrations.length).toBe(schemaVersion);
  expect(Object.keys(contents).map(Number)).toEqual(migrations.slice(0, -1).map(({ version }) => version));
});

test("migrations that were released do not change", () => {
  const connection = new SqliteConnection(new DatabaseSync(":memory:"), { ...options, path: ":memory:" });
  const { schema } = kyselyOver(connection);
  const digests = migrations.map(({ name, statements }) => {
    const text = statements(schema, sqliteEngine).join(";\n");
    return `${name} ${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
  });
  connection.close();
  expect(digests).toMatchInlineSnapshot(`
    [
      "ledger a652a0bef15af2d8",
      "artifacts 215d7565cad859fe",
      "grants cd06deb0f8395d22",
      "secrets a6ecc923b7c9b7c6",
    ]
  `);
});

test.for(migrations.slice(0, -1).map(({ version }) => version))(
  "openStore() brings a store of version %i up to date and loses nothing",
  async (version) => {
    const path = await makeVersion(version);
    {
      await using store = await openStore({ path });
      expect((await store.ledger.list()).map(({ callId, state }) => [callId, state])).toEqual([
        ["c_1", "completed"],
      ]);
      expect(await store.ledger.verify()).toMatchObject({ valid: true, rows: 2 });
      expect(await store.check()).toEqual([]);
      const [change] = await store.changes.ofCall("s", "c_1");
      if (version >= 2) {
        const former = await store.artifacts.readBytes("s", change?.before?.artifactId ?? "");
        expect(Buffer.from(former ?? []).toString()).toBe("old");
      }
      const key = {
        scope: "s",
        agentId: undefined,
        toolName: "t",
        toolVersion: "1",
        params: {},
        effects: [],
      };
      expect(await store.grants.find(key)).toBeUndefined();
      const id = await store.grants.add(key, "ada");
      expect(await store.grants.find(key)).toBe(id);
    }
    const fresh = join(folder, `fresh-${version}.db`);
    await (await openStore({ path: fresh })).close();
    expect(schemaOf(path)).toEqual(schemaOf(fresh));
  },
);

test("openStore() undoes a migration that fails, and the next attempt goes on from there", async () => {
  const path = await makeVersion(1);
  const db = new DatabaseSync(path);
  db.exec("create table tool_grant (in_the_way integer)");
  db.close();
  await expect(openStore({ path })).rejects.toMatchObject({ code: "STORE_FAILED" });
  const mended = new DatabaseSync(path);
  expect(mended.prepare("select version from schema_version").all()).toMatchObject([
    { version: 1 },
    { version: 2 },
  ]);
  mended.exec("drop table tool_grant");
  mended.close();
  await using store = await openStore({ path });
  expect((await store.ledger.list()).length).toBe(1);
});

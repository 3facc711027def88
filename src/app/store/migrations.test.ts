import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { sampleCall, sampleOutcome } from "../../../test/fixtures/store/sample-call.ts";
import { systemClock } from "../../base/index.ts";
import { migrate } from "../../db/migrate.ts";
import { applicationId } from "../../db/sqlite/sqlite.ts";
import { SqliteConnection } from "../../db/sqlite/sqlite-connection.ts";
import { kyselyOver } from "../../db/sqlite/sqlite-driver.ts";
import { sqliteEngine } from "../../db/sqlite/sqlite-engine.ts";
import type { GrantKey } from "../../kernel/index.ts";
import type { CallQuery } from "../../modules/ledger/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { openStore } from "./index.ts";
import { listMigrations } from "./migrations.ts";
import { storeSchema } from "./store-schema.ts";

const migrations = await listMigrations();

const folder = mkdtempSync(join(tmpdir(), "haft-migrate-"));
afterAll(() => rmSync(folder, { recursive: true }));

const options = { durability: "normal", busyTimeoutMs: 1000, clock: systemClock } as const;

/** What each version's store holds when a user of it comes to this one. Add an entry with each migration. */
const contents: Readonly<Record<number, (db: DatabaseSync) => void>> = {
  1: () => {},
  2: (db) => {
    db.exec(
      `insert into artifact (id, scope, call_id, kind, mime_type, bytes, chars, in_file, created_at) values ('a_1', 's', 'c_1', 'former', 'text/plain', 3, 3, 0, 1000)`,
    );
    db.exec(`insert into artifact_part values ('a_1', 0, 0, 3, x'6f6c64')`);
    db.exec(
      `insert into file_change (seq, scope, call_id, path, former_artifact_id, former_mode, recorded_at) values (1, 's', 'c_1', '/file', 'a_1', 420, 1000)`,
    );
  },
  3: (db) => {
    // Of `oldGrantKey`, as the haft of then made it.
    const digest = "a2c91d40c107a378cf9c5957507a694a5286c1e46df7180e4d32c4ade6c326e7";
    db.prepare(
      "insert into tool_grant (id, digest, scope, agent_id, tool_name, tool_version, params_text, granted_by, created_at, uses, last_used_at, revoked_at, revoked_by) values ('g_old', ?, 's', null, 't', '1', '{}', 'ada', ?, 7, null, null, null)",
    ).run(digest, Date.now());
  },
  4: () => {},
  5: () => {},
  6: () => {},
  7: () => {},
  8: (db) => {
    db.exec(
      "insert into tool_definition values ('s', 'mcp:github', 'get', '{}', 1000, 'ada', null, null, 1000, null)",
    );
    db.exec("insert into hook_statistics values ('s', 'guard', 2, 1, 0, 30, 1000, null)");
  },
  9: () => {},
  10: (db) => {
    db.exec(
      `insert into memory_entry (id, scope, kind, label, tier, permission, pinned, trust, at, created_at, changed_at, revision, version, last_version, depth, undo_depth, redo_depth, change, author, text) values ('m_old', 's', 'block', 'persona', 'core', 'admin', 1, 'trusted', 1000, 1000, 1000, 1, 1, 1, 0, 0, 0, 'create_block', '{"by":"owner:ada"}', 'old')`,
    );
  },
  11: (db) => {
    db.exec(`
      insert into memory_text (number, entry_seq) values (7, 1);
      insert into memory_model values (0, 'm', 8, 7, 1, 1000, null, null);
      insert into memory_vector values (64, 0, 0.01, x'0102030405060708');
      insert into memory_code_set values (1, 0, 's', 1);
      insert into memory_code values (1, 0, 1, 1, x'00000000000000000000000000000000000000000000f03f');
    `);
  },
  12: (db) => {
    db.exec(`
      insert into graph_node values ('n_ada', 's', 'ada', 'person', 'Ada'), ('n_ben', 's', 'ben', 'person', 'Ben');
      insert into graph_name values ('s', 'ada', 'ada', 'n_ada', 'ada'), ('s', 'ben', 'ben', 'n_ben', 'neb');
      insert into graph_mention values ('n_ada', 'ada', 'm_old', 'Ada', 1000), ('n_ben', 'ben', 'm_old', 'Ben', 1000);
      insert into graph_edge values (1, 'n_ada', 'n_ben', 'knows', 1);
      insert into graph_statement values (1, 'm_old', null, null, 1000);
    `);
  },
  13: (db) => {
    db.exec(
      "insert into job (id, kind, key, scope, payload, state, attempts, run_at, created_at) values ('j_old', 'k', '', 's', '{}', 'done', 1, 1000, 1000)",
    );
  },
  14: (db) => {
    db.exec(
      `insert into file_change (seq, scope, call_id, path, former_artifact_id, former_mode, after_hash, recorded_at, undone_at) values (2, 's', 'c_2', '/other', 'a_2', 420, null, 1000, null)`,
    );
  },
  15: () => {},
  16: () => {},
  17: () => {},
  18: () => {},
  19: () => {},
  20: () => {},
  21: addOldOutcome,
  22: () => {},
  23: () => {},
  24: () => {},
  25: () => {},
  26: () => {},
  27: () => {},
  28: () => {},
  29: () => {},
};

/** An outcome that a haft of before labels kept. */
function addOldOutcome(db: DatabaseSync): void {
  db.exec(
    `insert into call_outcome (call_id, text, success, code, artifact_id, notes, trust, at) values ('r_1.1.1', 'old', 1, null, null, '[]', 'trusted', 1000)`,
  );
}

/** The call that was allowed in version 3. */
const oldGrantKey: GrantKey = {
  scope: "s",
  agentId: undefined,
  toolName: "t",
  toolVersion: "1",
  params: { command: "ls" },
  effects: [{ kind: "run", target: "ls", within: false }],
  allowedPaths: ["/home/ada/project"],
  session: undefined,
  longest: "always",
  asked: [],
};

let files = 0;

/** A store as the haft of that version left it. */
async function makeVersion(version: number): Promise<string> {
  const path = join(folder, `${files++}.db`);
  const db = new DatabaseSync(path);
  db.exec("pragma journal_mode = wal");
  const connection = new SqliteConnection(db, { ...options, path });
  await migrate(connection, { migrations, targetVersion: version, applicationId, now: 1000 });
  fillWithOldRows(db);
  for (let each = 1; each <= version; each++) contents[each]?.(db);
  db.close();
  return path;
}

/** One call as every haft before version 5 wrote it, hashes and all. */
const oldRows = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../test/fixtures/store/rows-before-digests.json"), "utf8"),
) as (Record<string, string | number | null> & { readonly seq: number; readonly hash: string })[];

function fillWithOldRows(db: DatabaseSync): void {
  for (const row of oldRows) {
    const columns = Object.keys(row);
    db.prepare(`insert into ledger (${columns.join()}) values (${columns.map(() => "?").join()})`).run(
      ...Object.values(row),
    );
  }
  const { seq, hash } = oldRows.at(-1) as { seq: number; hash: string };
  db.prepare("update ledger_head set seq = ?, hash = ?").run(seq, hash);
}

function readSchema(path: string): unknown[] {
  const db = new DatabaseSync(path);
  const schema = db
    .prepare("select type, name, sql from sqlite_schema where name not like 'sqlite_%' order by type, name")
    .all();
  db.close();
  return schema;
}

test("migrations are numbered from 1 without a gap, and lead to the version that the tables have", () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  expect(migrations.length).toBe(storeSchema.version);
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
      "result-digest 98a33ec6fcfefef9",
      "approvals f1c83425e74640de",
      "artifact-trust 766a730c60497c5d",
      "sources 360976b7eb9a3629",
      "search 5f207b80ccbad8ff",
      "memory d028b22e23037a55",
      "memory-vectors c33ef0a1d5a5b944",
      "memory-graph 86b7ad1a20089f42",
      "jobs a0133059ea239638",
      "callers 10faae428abbe40f",
      "outer-calls 4d6a45cb80f65995",
      "grant-users a1f5216342ae96ef",
      "job-attempts c80be3b1afc4ea0b",
      "ledger-blocks 4f0bd681e78a21eb",
      "sessions 911f4e5171586b14",
      "model-calls 355fa3442dacb19c",
      "call-outcomes cdcda7dd6d2976e4",
      "run-projects 39d76af0a56d50fa",
      "labels 75542b175a83220d",
      "inner-calls 1b191f0e8499a4af",
      "erasable-texts 276acf6d74a1d881",
      "events e52a8288134a92b7",
      "tasks 7eac15e283e67614",
      "todos 2f320223f4a1bbf8",
      "shown-messages 2df5957f733e32a6",
      "task-upkeep b4ba3249361f3649",
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
      const [{ toolName, state } = {}] = await store.ledger.list();
      for (const query of [{ tool: toolName }, { state }, { since: 1 }, { until: Date.now() }] as CallQuery[])
        expect((await store.ledger.list(query)).map(({ callId }) => callId)).toEqual(["c_1"]);
      expect(await store.ledger.list({ tool: "none" })).toEqual([]);
      expect(await store.ledger.verify()).toMatchObject({ valid: true, rows: 2 });
      expect(await store.check()).toEqual([]);
      const [change] = await store.changes.ofCall("s", "c_1");
      if (version >= 2) {
        const former = await store.artifacts.readBytes("s", change?.before?.artifactId ?? "");
        expect(Buffer.from(former ?? []).toString()).toBe("old");
      }
      if (version >= 3) {
        expect(await store.grants.list()).toMatchObject([{ id: "g_old", term: "always", uses: 7 }]);
        expect(await store.grants.find(oldGrantKey)).toEqual(["g_old"]);
        expect(await store.grants.find({ ...oldGrantKey, params: { command: "ls -l" } })).toBeUndefined();
      }
      if (version >= 8) {
        expect(await store.definitions.list("s")).toMatchObject([{ name: "get", accepted: { by: "ada" } }]);
        expect(await store.hookRuns.list("s")).toMatchObject([{ hook: "guard", runs: 2 }]);
      }
      if (version >= 10) expect(await store.memory.get("s", "persona")).toMatchObject({ text: "old" });
      else expect(await store.memory.list("s")).toMatchObject({ entries: [] });
      const edges = version >= 12 ? [{ relation: "knows", weight: 1 }] : undefined;
      expect((await store.graph.explore("s", "n_ada"))?.edges).toEqual(
        edges && [expect.objectContaining(edges[0])],
      );
      expect(await store.toolUsage.list("s")).toEqual([]);
      const key = { ...oldGrantKey, toolName: "other" };
      expect(await store.grants.find(key)).toBeUndefined();
      const id = await store.grants.add({ key, term: "always", by: "ada" });
      expect(await store.grants.find(key)).toEqual([id]);
      expect(await store.approvals.list()).toEqual([]);
    }
    const fresh = join(folder, `fresh-${version}.db`);
    await (await openStore({ path: fresh })).close();
    expect(readSchema(path)).toEqual(readSchema(fresh));
  },
);

test("LedgerStore.verify() takes rows of before the digests as they were, and knows a digest put in or taken out", async () => {
  const path = await makeVersion(4);
  {
    await using store = await openStore({ path });
    await store.ledger.start(sampleCall("c_2"));
    await store.ledger.end(sampleCall("c_2"), sampleOutcome());
    expect(await store.ledger.verify()).toMatchObject({ valid: true, rows: 4 });
    const digests = (await store.ledger.list()).map(({ callId, resultDigest }) => [callId, resultDigest]);
    const digest = createHash("sha256").update(sampleOutcome().text).digest("hex");
    expect(digests).toEqual([
      ["c_2", digest],
      ["c_1", undefined],
    ]);
  }
  const db = new DatabaseSync(path);
  db.exec("drop trigger ledger_no_update");
  const verifyAfter = async (statement: string) => {
    db.exec(`begin; ${statement}`);
    db.exec("commit");
    await using store = await openStore({ path });
    const found = await store.ledger.verify();
    return found.valid ? "sound" : [found.broken.seq, found.broken.fault];
  };
  const setDigest = (seq: number, digest: string) =>
    `update ledger set result_digest = ${digest} where seq = ${seq}`;
  const kept = `'${(db.prepare("select result_digest from ledger where seq = 4").get() as { result_digest: string }).result_digest}'`;
  expect(await verifyAfter(setDigest(2, kept))).toEqual([2, "edited"]);
  expect(await verifyAfter(setDigest(2, "''"))).toEqual([2, "edited"]);
  expect(await verifyAfter(`${setDigest(2, "null")}; ${setDigest(4, "null")}`)).toEqual([4, "edited"]);
  expect(await verifyAfter(setDigest(4, "''"))).toEqual([4, "edited"]);
  expect(await verifyAfter(setDigest(4, kept))).toBe("sound");
  db.close();
});

test("LedgerStore.verify() takes rows of before the client was kept as they were, and knows a client put in, taken out or moved", async () => {
  const path = await makeVersion(13);
  {
    await using store = await openStore({ path });
    await store.ledger.start(sampleCall("c_2"));
    expect(await store.ledger.verify()).toMatchObject({ valid: true, rows: 3 });
  }
  const db = new DatabaseSync(path);
  db.exec("drop trigger ledger_no_update");
  const faultAfter = async (change: string, undo: string) => {
    db.exec(`update ledger set ${change}`);
    await using store = await openStore({ path });
    const found = await store.ledger.verify();
    db.exec(`update ledger set ${undo}`);
    return found.valid ? "sound" : [found.broken.seq, found.broken.fault];
  };
  const old = (change: string) => `${change} where seq = 1`;
  const now = (change: string) => `${change} where seq = 3`;
  expect(await faultAfter(old("project = '/p'"), old("project = null"))).toEqual([1, "edited"]);
  expect(await faultAfter(old("client_name = ''"), old("client_name = null"))).toEqual([1, "edited"]);
  const { project } = sampleCall("c_2");
  expect(await faultAfter(now("project = null"), now(`project = '${project}'`))).toEqual([3, "edited"]);
  const moved = now("client_version = client_name, client_name = client_version");
  expect(await faultAfter(moved, moved)).toEqual([3, "edited"]);
  expect(await faultAfter(now("seq = 3"), now("seq = 3"))).toBe("sound");
  db.close();
});

test.for([
  "alter table approval drop column folder",
  "alter table approval drop column waits_until",
  "alter table tool_grant drop column folder",
])("openStore() refuses the store of a development version, and says what to do: %s", async (statement) => {
  const path = join(folder, `${files++}.db`);
  await (await openStore({ path })).close();
  const db = new DatabaseSync(path);
  db.exec(statement);
  db.close();
  await expect(openStore({ path })).rejects.toMatchObject({
    code: "STORE_FOREIGN",
    message: expect.stringMatching(/a development version of haft made it.*move the file away/),
  });
});

test("openStore() leaves a store as it was where a migration fails, and the next attempt brings it up to date", async () => {
  const path = await makeVersion(1);
  const db = new DatabaseSync(path);
  db.exec("create table tool_grant (in_the_way integer)");
  db.close();
  await expect(openStore({ path })).rejects.toMatchObject({ code: "STORE_FAILED" });
  const mended = new DatabaseSync(path);
  expect(mended.prepare("select version from schema_version").all()).toMatchObject([{ version: 1 }]);
  mended.exec("drop table tool_grant");
  mended.close();
  await using store = await openStore({ path });
  expect((await store.ledger.list()).length).toBe(1);
});

test("openStore() keeps a copy of a store before its tables change, and of many copies the newest three", async () => {
  const path = await makeVersion(storeSchema.version - 1);
  const before = readSchema(path);
  const copies = `${path}-copies`;
  mkdirSync(copies);
  for (const year of [2020, 2021, 2022, 2023]) writeFileSync(join(copies, `${year}-old.db`), "");
  const now = Date.UTC(2026, 10, 22);
  await (await openStore({ path, clock: createFakeClock(now) })).close();
  const kept = readdirSync(copies).sort();
  const name = `2026-11-22T00-00-00.000Z-version-${storeSchema.version - 1}-${process.pid}.db`;
  expect(kept).toEqual(["2022-old.db", "2023-old.db", name]);
  expect(readSchema(join(copies, name))).toEqual(before);
  await (await openStore({ path })).close();
  expect(readdirSync(copies)).toHaveLength(3);
});

test("an outcome that was kept before it had labels is taken for private", async () => {
  await using store = await openStore({ path: await makeVersion(21) });
  expect(await store.ledger.outcome("r_1.1.1")).toMatchObject({ text: "old", private: true });
  expect(await store.ledger.untrustedFiles()).toEqual([]);
});

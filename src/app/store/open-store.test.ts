import { execFile } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { sampleCall, sampleOutcome } from "../../../test/fixtures/store/sample-call.ts";
import { StoreError } from "../../db/index.ts";
import type { GrantKey } from "../../kernel/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { openStore } from "./open-store.ts";
import { storeSchema } from "./store-schema.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-open-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const newPath = () => join(folder, `${files++}`, "haft.db");
const readMode = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function makeStore(path = newPath()): Promise<string> {
  await using store = await openStore({ path });
  await store.ledger.end(sampleCall("c_1"), sampleOutcome());
  return path;
}

/** How opening fails; the file must be the same afterwards. */
async function refusal(path: string): Promise<{ code: string; message: string }> {
  const before = statSync(path).isFile() ? readFileSync(path) : undefined;
  const thrown: unknown = await openStore({ path, clock: createFakeClock() }).catch(
    (error: unknown) => error,
  );
  if (!(thrown instanceof StoreError)) return expect.unreachable(`it was opened, or threw ${String(thrown)}`);
  if (before !== undefined) expect(readFileSync(path).equals(before)).toBe(true);
  return { code: thrown.code, message: thrown.message };
}

test("openStore() makes the file and its folders for this user alone", async () => {
  const path = join(folder, "made", "for", "one", "haft.db");
  await using store = await openStore({ path });
  await store.ledger.start(sampleCall("c_1"));
  await store.artifacts.put({
    scope: "s",
    callId: "c",
    kind: "output",
    mimeType: "text/plain",
    data: "x".repeat(300_000),
  });
  const all = readdirSync(join(folder, "made"), { recursive: true, withFileTypes: true });
  const modes = all.map((entry) => [entry.isDirectory(), readMode(join(entry.parentPath, entry.name))]);
  expect(modes.filter(([isFolder, mode]) => mode !== (isFolder === true ? "700" : "600"))).toEqual([]);
  expect(all.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["haft.db", "haft.db-wal", "haft.db-shm", "haft.db-runs", "haft.db-artifacts"]),
  );
});

test("openStore() takes an existing file away from other users", async () => {
  const path = await makeStore();
  chmodSync(path, 0o644);
  await makeStore(path);
  expect(readMode(path)).toBe("600");
});

test("openStore() finds what an earlier store wrote, and leaves only the database behind", async () => {
  const path = await makeStore();
  await makeStore(path);
  await using store = await openStore({ path });
  expect((await store.ledger.list()).length).toBe(2);
  await store.close();
  expect(readdirSync(join(path, "..")).sort()).toEqual(["haft.db", "haft.db-made", "haft.db-runs"]);
  expect(readdirSync(`${path}-runs`)).toEqual([]);
});

test("openStore() takes an empty file for a new store", async () => {
  const path = newPath();
  mkdirSync(join(path, ".."));
  writeFileSync(path, "");
  await using store = await openStore({ path });
  expect(await store.check()).toEqual([]);
});

test("openStore() keeps a database in memory apart from every other", async () => {
  await using one = await openStore({ path: ":memory:" });
  await using two = await openStore({ path: ":memory:" });
  await one.ledger.end(sampleCall("c_1"), sampleOutcome());
  expect(await two.ledger.list()).toEqual([]);
  expect(existsSync(":memory:-runs")).toBe(false);
});

test("openStore() refuses a store of a later haft with STORE_NEWER", async () => {
  const path = await makeStore();
  const db = new DatabaseSync(path);
  db.exec("insert into schema_version values (999, 'later', 0)");
  db.close();
  expect(await refusal(path)).toEqual({
    code: "STORE_NEWER",
    message: `Cannot open the store "${path}": its tables have version 999 and this haft knows ${storeSchema.version}; update haft, or choose another path`,
  });
});

test("openStore() refuses the database of another program with STORE_FOREIGN", async () => {
  const path = newPath();
  mkdirSync(join(path, ".."));
  const db = new DatabaseSync(path);
  db.exec("create table accounts (id integer)");
  db.close();
  expect((await refusal(path)).code).toBe("STORE_FOREIGN");
});

test.for([
  { state: "empty", lose: (path: string) => truncateSync(path) },
  { state: "gone", lose: (path: string) => rmSync(path) },
])(
  "openStore() calls a store whose file is $state damaged, and begins no new one",
  async ({ state, lose }) => {
    const path = newPath();
    await (await openStore({ path })).close();
    lose(path);
    const refused = {
      code: "STORE_CORRUPT",
      message: expect.stringMatching(
        `its file is ${state}, although a store was made here.*haft restore FILE`,
      ),
    };
    await expect(openStore({ path })).rejects.toMatchObject(refused);
    // Nor at the second try.
    await expect(openStore({ path })).rejects.toMatchObject(refused);
    rmSync(`${path}-made`);
    await (await openStore({ path })).close();
  },
);

test("openStore() refuses a file that is no database with STORE_CORRUPT", async () => {
  const path = newPath();
  mkdirSync(join(path, ".."));
  writeFileSync(path, "This is a diary, not a database. ".repeat(300));
  expect(await refusal(path)).toEqual({
    code: "STORE_CORRUPT",
    message: `Cannot open the store "${path}": file is not a database; stop haft, keep the file, and restore a copy of it or recover it with \`sqlite3 FILE ".recover"\``,
  });
});

test("openStore() refuses a store that was cut off with STORE_CORRUPT", async () => {
  const path = await makeStore();
  truncateSync(path, 4096);
  expect((await refusal(path)).code).toBe("STORE_CORRUPT");
});

test("Store.check() and reading say what is damaged within the file", async () => {
  const path = await makeStore();
  const db = new DatabaseSync(path);
  const { rootpage } = db.prepare("select rootpage from sqlite_schema where name = 'ledger'").get() as {
    rootpage: number;
  };
  db.close();
  const bytes = readFileSync(path);
  bytes.fill(0xaa, (rootpage - 1) * 4096, rootpage * 4096);
  writeFileSync(path, bytes);
  await using store = await openStore({ path });
  await expect(store.ledger.list()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  expect(await store.check()).toEqual([expect.stringContaining("malformed")]);
});

test("openStore() refuses a folder, and a path through a file, with STORE_UNAVAILABLE", async () => {
  const path = newPath();
  mkdirSync(path, { recursive: true });
  expect((await refusal(path)).code).toBe("STORE_UNAVAILABLE");
  const file = await makeStore();
  await expect(openStore({ path: join(file, "haft.db") })).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
  });
});

test("openStore() refuses a file it may only read with STORE_READ_ONLY", async ({ skip }) => {
  const path = await makeStore();
  if (process.getuid?.() !== 0) {
    chmodSync(path, 0o400);
    expect((await refusal(path)).code).toBe("STORE_READ_ONLY");
    return;
  }
  // To the superuser nothing is read-only but a read-only mount.
  const script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "$2" "$3" "$1/haft.db" x 1';
  const child = join(import.meta.dirname, "../../../test/fixtures/store/append-calls.ts");
  const command = ["-m", "sh", "-c", script, "sh", join(path, ".."), process.execPath, child];
  const output = await promisify(execFile)("unshare", command).catch((error: Error) => error);
  if (output instanceof Error) return skip(`this user may not mount: ${output.message}`);
  expect(output.stdout).toMatch(
    /^STORE_READ_ONLY: Cannot open the store .*; make the file and its folder writable/,
  );
});

test("Store.close() lets what is under way finish, and refuses what comes later with STORE_CLOSED", async () => {
  const path = newPath();
  const store = await openStore({ path });
  const written = Promise.all([
    store.ledger.start(sampleCall("c_1")),
    store.ledger.end(sampleCall("c_1"), sampleOutcome()),
  ]);
  await Promise.all([store.close(), store.close()]);
  await written;
  const closed = { code: "STORE_CLOSED" };
  await expect(store.ledger.start(sampleCall("c_2"))).rejects.toMatchObject(closed);
  await expect(store.ledger.end(sampleCall("c_2"), sampleOutcome())).rejects.toMatchObject(closed);
  await expect(store.ledger.list()).rejects.toMatchObject(closed);
  await expect(store.artifacts.readBytes("s", "a")).rejects.toMatchObject(closed);
  await expect(store.changes.markUndone("s", "c")).rejects.toMatchObject(closed);
  await expect(store.check()).rejects.toMatchObject(closed);
  await using again = await openStore({ path });
  expect((await again.ledger.list()).map(({ callId, state }) => [callId, state])).toEqual([
    ["c_1", "completed"],
  ]);
});

test("the store waits for another process that writes, without holding up the event loop", async () => {
  const path = await makeStore();
  const clock = createFakeClock();
  await using store = await openStore({ path, clock });
  const other = new DatabaseSync(path);
  other.exec("begin immediate");
  const written = store.ledger.end(sampleCall("c_2"), sampleOutcome());
  const granted = store.grants.add({ key: grantKey({}), term: "always", by: "ada" });
  await clock.advance(1000);
  expect(await Promise.race([written, granted, Promise.resolve("waits")])).toBe("waits");
  other.exec("commit");
  await clock.advance(1000);
  await written;
  await granted;
  other.close();
  expect((await store.ledger.list()).length).toBe(2);
});

test("the store gives up on another process after its time with STORE_BUSY, and can be used again then", async () => {
  const path = await makeStore();
  const clock = createFakeClock();
  await using store = await openStore({ path, clock, busyTimeoutMs: 500 });
  const other = new DatabaseSync(path);
  other.exec("begin immediate");
  const refused = expect(store.ledger.end(sampleCall("c_2"), sampleOutcome())).rejects.toMatchObject({
    code: "STORE_BUSY",
  });
  await clock.advance(2000);
  await refused;
  other.exec("rollback");
  other.close();
  await store.ledger.end(sampleCall("c_3"), sampleOutcome());
  expect((await store.ledger.list()).map(({ callId }) => callId)).toEqual(["c_3", "c_1"]);
  expect(await store.ledger.verify()).toMatchObject({ valid: true, rows: 2 });
});

test("Artifacts.put() leaves no file behind where the database can't take its row", async () => {
  const path = await makeStore();
  const clock = createFakeClock();
  await using store = await openStore({ path, clock, busyTimeoutMs: 500 });
  const other = new DatabaseSync(path);
  other.exec("begin immediate");
  const data = "x".repeat(300_000);
  const put = store.artifacts.put({ scope: "s", callId: "c", kind: "output", mimeType: "text/plain", data });
  let settled = false;
  const refused = expect(put.finally(() => (settled = true))).rejects.toMatchObject({ code: "STORE_BUSY" });
  while (!settled) await clock.advance(100);
  await refused;
  other.close();
  expect(readdirSync(`${path}-artifacts`)).toEqual([]);
});

test("GrantStore.list() shows arguments only as `redact` leaves them, and none without it", async () => {
  const key = grantKey({ token: "s3cret" });
  await using plain = await openStore({ path: ":memory:" });
  await plain.grants.add({ key, term: "always", by: "ada" });
  expect((await plain.grants.list())[0]?.paramsText).toBeUndefined();
  await using store = await openStore({
    path: ":memory:",
    redact: (text) => text.replace("s3cret", "[redacted]"),
  });
  await store.grants.add({ key, term: "always", by: "ada" });
  expect((await store.grants.list())[0]?.paramsText).toBe('{"token":"[redacted]"}');
});

function grantKey(params: unknown): GrantKey {
  return {
    scope: "s",
    agentId: undefined,
    toolName: "t",
    toolVersion: "1",
    params,
    effects: [],
    allowedPaths: [],
    session: undefined,
    longest: "always",
    asked: [],
  };
}

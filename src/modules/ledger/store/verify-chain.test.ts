import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { sampleCall, sampleOutcome } from "../../../../test/fixtures/store/sample-call.ts";
import { openStore } from "../../../app/store/index.ts";
import { erasableColumns } from "./erasable-texts.ts";
import { expectedHash } from "./ledger-row.ts";
import type { Verification } from "./ledger-store.ts";
import { type LedgerRow, ledgerColumns } from "./tables.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-tamper-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;

/** A store with ten rows: five calls, each started and ended. */
async function makeLedger(): Promise<string> {
  const path = join(folder, `${files++}`, "haft.db");
  await using store = await openStore({ path });
  for (const callId of ["a", "b", "c", "d", "e"]) {
    await store.ledger.start(sampleCall(callId));
    await store.ledger.end(sampleCall(callId), sampleOutcome());
  }
  return path;
}

const withoutTriggers = "drop trigger ledger_no_update; drop trigger ledger_no_delete;";

/** Verifies ten rows after somebody with another program was at the file. */
async function verifyAfter(tamper: (db: DatabaseSync) => void): Promise<Verification> {
  const path = await makeLedger();
  const db = new DatabaseSync(path);
  db.exec(withoutTriggers);
  tamper(db);
  db.close();
  await using store = await openStore({ path });
  return await store.ledger.verify();
}

/** The row at which the chain breaks, and how; undefined if it is sound. */
function findBreak(verification: Verification) {
  if (verification.valid) return undefined;
  const { rows, broken } = verification;
  expect(broken.message).toMatch(new RegExp(`^Row ${broken.seq} \\S`));
  return { rows, seq: broken.seq, fault: broken.fault };
}

async function breakAfter(sql: string) {
  return findBreak(await verifyAfter((db) => db.exec(sql)));
}

function rowAt(db: DatabaseSync, seq: number): LedgerRow {
  return { ...db.prepare("select * from ledger where seq = ?").get(seq) } as unknown as LedgerRow;
}

function insert(db: DatabaseSync, row: LedgerRow): void {
  db.prepare(`insert into ledger values (${ledgerColumns.map(() => "?").join()})`).run(
    ...ledgerColumns.map((name) => row[name]),
  );
}

/** A row that somebody made up, hash and all. */
function forge(db: DatabaseSync, seq: number, prevHash: string): LedgerRow {
  const row = { ...rowAt(db, 1), seq, call_id: "forged", prev_hash: prevHash };
  return { ...row, hash: expectedHash(row) };
}

test("the ledger refuses to change or remove a row, whatever the program", async () => {
  const db = new DatabaseSync(await makeLedger());
  for (const statement of [
    "update ledger set code = 'x'",
    "update ledger set seq = 99 where seq = 1",
    "delete from ledger where seq = 10",
  ]) {
    expect(() => db.exec(statement)).toThrow("the ledger is append-only");
  }
  db.close();
});

const texts = erasableColumns.map((column) => `${column} = null`).join();

test.for(ledgerColumns)("erasing the texts of a row can't change its %s", async (column) => {
  const db = new DatabaseSync(await makeLedger());
  const isText = (erasableColumns as readonly string[]).includes(column) || column === "texts_salt";
  const value = [
    "duration_ms",
    "seq",
    "start_seq",
    "at",
    "started_at",
    "idempotent",
    "still_running",
  ].includes(column)
    ? "7"
    : "'x'";
  const others = [...erasableColumns, "texts_salt"].filter((each) => each !== column);
  const change = [...others.map((each) => `${each} = null`), `${column} = ${value}`].join();
  expect(() => db.exec(`update ledger set ${change} where seq = 2`)).toThrow("append-only");
  if (!isText)
    expect(() => db.exec(`update ledger set ${texts}, texts_salt = null where seq = 2`)).not.toThrow();
  db.close();
});

test("LedgerStore.verify() names the row whose texts were erased by another program", async () => {
  expect(await breakAfter(`update ledger set ${texts}, texts_salt = null where seq = 3`)).toEqual({
    rows: 2,
    seq: 3,
    fault: "edited",
  });
  expect(await breakAfter(`update ledger set ${texts} where seq = 3`)).toMatchObject({
    seq: 3,
    fault: "edited",
  });
});

test("LedgerStore.erase() leaves nothing of the texts in the file", async () => {
  const path = join(folder, `${files++}`, "haft.db");
  {
    await using store = await openStore({ path });
    const call = { ...sampleCall("a"), paramsText: '{"path":"unmistakable-7281"}' };
    await store.ledger.start(call);
    await store.ledger.end(call, { ...sampleOutcome(), text: "found unmistakable-7281" });
  }
  expect(readFileSync(path, "latin1")).toContain("unmistakable-7281");
  {
    await using store = await openStore({ path });
    expect(await store.ledger.erase("a", "person:ada")).toBe("erased");
  }
  for (const { name } of readdirSync(dirname(path), { withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  ))
    expect(readFileSync(join(dirname(path), name), "latin1")).not.toContain("unmistakable-7281");
});

test("LedgerStore.verify() finds ten untouched rows sound", async () => {
  expect(findBreak(await verifyAfter(() => {}))).toBeUndefined();
});

const edits = ledgerColumns.filter((column) => column !== "seq");
test.for(edits)("LedgerStore.verify() names the row whose %s was edited", async (column) => {
  const isNumber = ["start_seq", "at", "started_at", "idempotent", "still_running", "duration_ms"].includes(
    column,
  );
  const edited = isNumber ? `coalesce(${column}, 0) + 1` : `coalesce(${column}, '') || 'x'`;
  expect(await breakAfter(`update ledger set ${column} = ${edited} where seq = 5`)).toEqual({
    rows: 4,
    seq: 5,
    fault: "edited",
  });
  expect(await breakAfter(`update ledger set ${column} = ${edited} where seq = 10`)).toEqual({
    rows: 9,
    seq: 10,
    fault: "edited",
  });
});

test.for(["decision", "params_digest", "code"])(
  "LedgerStore.verify() tells an empty %s from none",
  async (column) => {
    const swap = `case when ${column} is null then '' else null end`;
    expect(await breakAfter(`update ledger set ${column} = ${swap} where seq = 5`)).toEqual({
      rows: 4,
      seq: 5,
      fault: "edited",
    });
  },
);

test("LedgerStore.verify() names an edited row, even if its hash was made anew", async () => {
  const rewrite = (seq: number) => (db: DatabaseSync) => {
    const row = { ...rowAt(db, seq), params_text: "{}" };
    db.prepare("update ledger set params_text = ?, hash = ? where seq = ?").run("{}", expectedHash(row), seq);
  };
  expect(findBreak(await verifyAfter(rewrite(1)))).toEqual({ rows: 0, seq: 1, fault: "edited" });
  expect(findBreak(await verifyAfter(rewrite(5)))).toEqual({ rows: 4, seq: 5, fault: "edited" });
  expect(findBreak(await verifyAfter(rewrite(9)))).toEqual({ rows: 8, seq: 9, fault: "edited" });
  expect(findBreak(await verifyAfter(rewrite(10)))).toEqual({ rows: 9, seq: 10, fault: "edited" });
});

test("LedgerStore.verify() names the row where a removed one was", async () => {
  expect(await breakAfter("delete from ledger where seq = 1")).toEqual({ rows: 0, seq: 1, fault: "removed" });
  expect(await breakAfter("delete from ledger where seq = 5")).toEqual({ rows: 4, seq: 5, fault: "removed" });
  expect(await breakAfter("delete from ledger where seq between 3 and 8")).toEqual({
    rows: 2,
    seq: 3,
    fault: "removed",
  });
});

test("LedgerStore.verify() names the removed row, even if the later ones were moved up", async () => {
  const move = "update ledger set seq = -seq where seq > 5; update ledger set seq = -seq - 1 where seq < 0;";
  expect(
    await breakAfter(`delete from ledger where seq = 5; ${move} update ledger_head set seq = 9`),
  ).toEqual({
    rows: 4,
    seq: 5,
    fault: "removed",
  });
});

test("LedgerStore.verify() names the first of two rows that were swapped", async () => {
  const swap = (one: number, two: number) =>
    `update ledger set seq = -1 where seq = ${one}; update ledger set seq = ${one} where seq = ${two}; update ledger set seq = ${two} where seq = -1`;
  expect(await breakAfter(swap(3, 8))).toEqual({ rows: 2, seq: 3, fault: "reordered" });
  expect(await breakAfter(swap(5, 6))).toEqual({ rows: 4, seq: 5, fault: "reordered" });
  expect(await breakAfter(swap(1, 10))).toEqual({ rows: 0, seq: 1, fault: "reordered" });
});

test("LedgerStore.verify() names an inserted row", async () => {
  const inTheMiddle = await verifyAfter((db) => {
    db.exec(
      "update ledger set seq = -seq where seq >= 5; update ledger set seq = 1 - seq where seq < 0; update ledger_head set seq = 11",
    );
    insert(db, forge(db, 5, rowAt(db, 4).hash));
  });
  // The forged row is whole in itself; what was moved to make room for it is what gives it away.
  expect(findBreak(inTheMiddle)).toEqual({ rows: 4, seq: 5, fault: "inserted" });
  const atTheEnd = await verifyAfter((db) => insert(db, forge(db, 11, rowAt(db, 10).hash)));
  expect(findBreak(atTheEnd)).toEqual({ rows: 10, seq: 11, fault: "inserted" });
  const before = await verifyAfter((db) => insert(db, forge(db, 0, "")));
  expect(findBreak(before)).toEqual({ rows: 0, seq: 0, fault: "inserted" });
});

test("LedgerStore.verify() names a row that was put in the place of another", async () => {
  const replaced = await verifyAfter((db) => {
    const row = forge(db, 5, rowAt(db, 4).hash);
    db.exec("delete from ledger where seq = 5");
    insert(db, row);
  });
  expect(findBreak(replaced)).toEqual({ rows: 4, seq: 5, fault: "edited" });
});

test("LedgerStore.verify() finds the tail missing", async () => {
  expect(await breakAfter("delete from ledger where seq > 8")).toEqual({
    rows: 8,
    seq: 9,
    fault: "truncated",
  });
  expect(await breakAfter("delete from ledger")).toEqual({ rows: 0, seq: 1, fault: "truncated" });
  expect(await breakAfter("delete from ledger_head")).toEqual({ rows: 10, seq: 11, fault: "truncated" });
});

test("LedgerStore.verify() needs an anchor kept elsewhere to find a tail that was cut with its head", async () => {
  const path = await makeLedger();
  const before = await openStore({ path });
  const sound = await before.ledger.verify();
  await before.close();
  const db = new DatabaseSync(path);
  db.exec(withoutTriggers);
  db.exec("delete from ledger where seq > 8");
  db.prepare("update ledger_head set seq = 8, hash = ?").run(rowAt(db, 8).hash);
  db.close();
  await using store = await openStore({ path });
  expect(findBreak(await store.ledger.verify())).toBeUndefined();
  if (!sound.valid) expect.unreachable();
  else
    expect(findBreak(await store.ledger.verify({ anchor: sound.head }))).toEqual({
      rows: 8,
      seq: 9,
      fault: "truncated",
    });
});

test("LedgerStore.verify() still names the row when the ledger has gone on since", async () => {
  const path = await makeLedger();
  const db = new DatabaseSync(path);
  db.exec(`${withoutTriggers} update ledger set scope = 'other' where seq = 3`);
  db.close();
  await using store = await openStore({ path });
  await store.ledger.end(sampleCall("f"), sampleOutcome());
  expect(findBreak(await store.ledger.verify())).toEqual({ rows: 2, seq: 3, fault: "edited" });
});

test("LedgerStore.verify() reads more rows than fit in one page", async () => {
  await using store = await openStore({ path: ":memory:" });
  await Promise.all(
    Array.from({ length: 2500 }, (_, index) => store.ledger.end(sampleCall(`c${index}`), sampleOutcome())),
  );
  expect(await store.ledger.verify()).toMatchObject({ valid: true, rows: 2500 });
});

test("Ledger.end() refuses to write where the head of the chain is gone", async () => {
  const path = await makeLedger();
  const db = new DatabaseSync(path);
  db.exec("delete from ledger_head");
  db.close();
  await using store = await openStore({ path });
  await expect(store.ledger.end(sampleCall("f"), sampleOutcome())).rejects.toMatchObject({
    code: "STORE_CORRUPT",
  });
});

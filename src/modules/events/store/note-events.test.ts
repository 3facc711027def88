import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { storeSchema } from "../../../app/store/store-schema.ts";
import { systemClock } from "../../../base/index.ts";
import { openSqlite } from "../../../db/index.ts";
import { noteEvents } from "./note-events.ts";

const day = 86_400_000;
const start = Date.UTC(2026, 0, 1);

async function openDatabase() {
  const folder = mkdtempSync(join(tmpdir(), "haft-events-"));
  const path = join(folder, "haft.db");
  const db = await openSqlite({
    path,
    schema: storeSchema,
    durability: "normal",
    busyTimeoutMs: 1000,
    clock: systemClock,
  });
  onTestFinished(async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });
  const note = (ids: readonly string[], at: number) => db.write((tx) => noteEvents(tx, "memory", ids, at));
  const read = () => {
    const sql = 'select count(*) as "count", min("seq") as "first", min("at") as "oldest" from "event"';
    return db.prepare(sql).get() as { count: number; first: number; oldest: number };
  };
  return { db, note, read };
}

const makeIds = (count: number) => Array.from({ length: count }, (_, at) => `m_${at}`);

test("events are kept for a day", async () => {
  const { note, read } = await openDatabase();
  await note(makeIds(300), start);
  await note(makeIds(300), start + day);
  expect(read()).toMatchObject({ count: 600 });
  await note(makeIds(500), start + day + 1);
  expect(read()).toMatchObject({ count: 800, oldest: start + day });
});

test("a hundred thousand events are kept at most, and a number is never used again", async () => {
  const { note, read } = await openDatabase();
  await note(makeIds(100_400), start);
  expect(read()).toMatchObject({ count: 100_000, first: 401 });
  await note(makeIds(600), start);
  expect(read()).toMatchObject({ count: 100_000, first: 1001 });
});

test("an event of a change that fails is not there", async () => {
  const { db, read } = await openDatabase();
  const failing = db.write(async (tx) => {
    await noteEvents(tx, "run", ["run_1"], start);
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(read().count).toBe(0);
});

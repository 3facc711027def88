import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { openStore, storeSchema } from "../../../app/store/index.ts";
import { openSqlite, type TypedDatabase } from "../../../db/index.ts";
import { createFakeClock } from "../../../testing/index.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { SqlJobs } from "./sql-jobs.ts";
import type { Tables } from "./tables.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-jobs-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("retryDelayMs() doubles from a second to a minute, give or take a quarter", () => {
  expect([1, 2, 3, 7, 20].map((attempts) => retryDelayMs(attempts, 0.5))).toEqual([
    1000, 2000, 4000, 60_000, 60_000,
  ]);
  expect([retryDelayMs(1, 0), retryDelayMs(1, 1)]).toEqual([750, 1250]);
});

test("Jobs.claim() gives a failed job again once its time has come, and the third failure is the last", async () => {
  const clock = createFakeClock();
  await using store = await openStore({ path: ":memory:", clock });
  const { id } = await store.jobs.enqueue({ kind: "mail", scope: "s" });
  const states: (string | undefined)[] = [];
  for (let attempt = 1; attempt <= 3; attempt++) {
    const claimed = await store.jobs.claim({ kinds: ["mail"], leaseMs: 1000 });
    if (claimed === undefined) throw new Error("nothing is due");
    states.push((await store.jobs.fail(claimed, { message: "no" }))?.state);
    await clock.advance(5000);
  }
  expect(states).toEqual(["failed", "failed", "dead_letter"]);
  expect(await store.jobs.get(id)).toMatchObject({ attempts: 3, lastError: "no" });
});

test("Jobs: what a killed process had begun is begun once more by another, and the rest is done once", async () => {
  const path = join(folder, "haft.db");
  const log = join(folder, "log");
  const clock = createFakeClock(Date.now());
  await using store = await openStore({ path, clock });
  for (const key of ["a", "b", "c"]) await store.jobs.enqueue({ kind: "mail", scope: "s", key });
  const fixture = join(import.meta.dirname, "../../../../test/fixtures/store/do-jobs.ts");
  const child = spawn(process.execPath, [fixture, path, log, "b"], { stdio: ["ignore", "pipe", "inherit"] });
  await once(createInterface(child.stdout), "line");
  child.kill("SIGKILL");
  await once(child, "close");
  // Its lease is still good: one that only hangs has until then.
  expect((await store.jobs.claim({ kinds: ["mail"], leaseMs: 1000 }))?.key).toBe("c");
  await clock.advance(60_000);
  const taken = await store.jobs.claim({ kinds: ["mail"], leaseMs: 60_000 });
  expect(taken).toMatchObject({ key: "b", attempts: 2 });
  if (taken !== undefined) await store.jobs.complete(taken);
  expect(readFileSync(log, "utf8")).toBe("a\nb\n");
  expect((await store.jobs.list({ states: ["completed"] })).map(({ key }) => key)).toEqual(["b", "a"]);
});

test("SqlJobs.enqueueIn() keeps a job with the other rows of a transaction, or neither", async () => {
  const clock = createFakeClock();
  const database = { path: ":memory:", durability: "normal", clock, busyTimeoutMs: 1000 } as const;
  const db: TypedDatabase<Tables> = await openSqlite({ ...database, schema: storeSchema });
  const jobs = new SqlJobs(db, { clock });
  const twice = (fault?: Error) =>
    db.write(async (tx) => {
      await jobs.enqueueIn(tx, { kind: "mail", scope: "s", key: "a" });
      await jobs.enqueueIn(tx, { kind: "mail", scope: "s", key: "b" });
      if (fault !== undefined) throw fault;
    });
  await expect(twice(new Error("the other row is refused"))).rejects.toThrow("refused");
  expect(await jobs.list()).toEqual([]);
  await twice();
  expect((await jobs.list()).map(({ key }) => key)).toEqual(["b", "a"]);
  await db.close();
});

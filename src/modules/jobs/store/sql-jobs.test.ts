import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, onTestFinished, test } from "vitest";
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

/** A process that has done the job `a`, and is busy with `b`. */
async function openDoing(name: string) {
  const [path, log] = [join(folder, `${name}.db`), join(folder, `${name}.log`)];
  const clock = createFakeClock(Date.now());
  const store = await openStore({ path, clock });
  for (const key of ["a", "b", "c"]) await store.jobs.enqueue({ kind: "mail", scope: "s", key });
  const fixture = join(import.meta.dirname, "../../../../test/fixtures/store/do-jobs.ts");
  const child = spawn(process.execPath, [fixture, path, log, "b"], { stdio: ["ignore", "pipe", "inherit"] });
  const kill = async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "close");
  };
  onTestFinished(async () => {
    await kill();
    await store.close();
  });
  await once(createInterface(child.stdout), "line");
  const claim = () => store.jobs.claim({ kinds: ["mail"], leaseMs: 60_000 });
  /** Its process took it when it had started, however long that took. */
  const passLease = async (key: string) => {
    const running = await store.jobs.list({ states: ["running"], key });
    await clock.advance((running[0]?.leaseUntil ?? Number.NaN) - clock.now());
  };
  return { store, child, kill, claim, passLease, log, locks: `${path}-runs` };
}

/** The leases that have a lock. */
const listLeases = (locks: string) => readdirSync(locks).filter((name) => /^l_\w+$/.test(name));

test("Jobs: what a killed process had begun is another's at once, and the rest is done once", async () => {
  const { store, kill, claim, log, locks } = await openDoing("killed");
  // Its process lives, and has it as long as its lease.
  expect((await claim())?.key).toBe("c");
  expect(await claim()).toBeUndefined();
  await kill();
  const taken = await claim();
  expect(taken).toMatchObject({ key: "b", attempts: 2 });
  if (taken !== undefined) await store.jobs.complete(taken);
  expect(readFileSync(log, "utf8")).toBe("a\nb\n");
  expect((await store.jobs.list({ states: ["completed"] })).map(({ key }) => key)).toEqual(["b", "a"]);
  // The lock of the dead process is gone, and those of ended jobs: "c" has its own.
  const [c] = await store.jobs.list({ states: ["running"] });
  expect([c?.key, listLeases(locks).length]).toEqual(["c", 1]);
});

test("Jobs: what a stopped process had begun is another's once its lease has ended", async () => {
  const { child, passLease, claim } = await openDoing("stopped");
  child.kill("SIGSTOP");
  expect((await claim())?.key).toBe("c");
  expect(await claim()).toBeUndefined();
  await passLease("b");
  expect(await claim()).toMatchObject({ key: "b", attempts: 2 });
});

test("Jobs: nothing is known of a process on another machine, so its lease is awaited", async () => {
  const { passLease, kill, claim, locks } = await openDoing("elsewhere");
  expect((await claim())?.key).toBe("c");
  await kill();
  // On another machine its lock is in a folder of that machine.
  rmSync(locks, { recursive: true });
  expect(await claim()).toBeUndefined();
  await passLease("b");
  expect(await claim()).toMatchObject({ key: "b", attempts: 2 });
});

test("Jobs.cancel() removes the lock of a dead process's job", async () => {
  const { store, kill, locks } = await openDoing("cancelled");
  await kill();
  const [b] = await store.jobs.list({ states: ["running"] });
  expect([b?.key, listLeases(locks).length]).toEqual(["b", 1]);
  expect(await store.jobs.cancel(b?.id ?? "")).toMatchObject({ state: "cancelled" });
  expect(readdirSync(locks).filter((name) => name.startsWith("l_"))).toEqual([]);
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

import { chmodSync, copyFileSync, existsSync, lstatSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { toIndexPath } from "../../src/app/records/index-path.ts";
import { Installation } from "../support/installation.ts";

const isPosix = process.platform !== "win32";

/** An installation with a call in its ledger, and the path of the index of its calls. */
async function open() {
  const place = new Installation();
  const opened = await place.open();
  const { app } = opened;
  await opened.call("glob", { pattern: "*.nothing" });
  const { path } = await app.store();
  const list = async () => (await (await app.records()).listCalls({ limit: 10 })).rows.length;
  return { app, index: toIndexPath(path), list };
}

test.runIf(isPosix)(
  "an index of calls that others may read is this user's alone once it is opened",
  async () => {
    const { app, index, list } = await open();
    expect(await list()).toBe(1);
    expect(statSync(index).mode & 0o777).toBe(0o600);
    await (await app.records()).close();
    chmodSync(index, 0o666);
    const { WorkerRecords } = await import("../../src/app/records/worker-records.ts");
    const records = new WorkerRecords({ path: (await app.store()).path });
    expect((await records.listCalls({ limit: 10 })).rows).toHaveLength(1);
    await records.close();
    expect(statSync(index).mode & 0o777).toBe(0o600);
  },
);

test.runIf(isPosix)("a link in the place of the index leads to no other database", async () => {
  const { index, list } = await open();
  const other = `${index}-other`;
  const db = new DatabaseSync(other);
  db.exec("create table t (a); insert into t values (1)");
  db.close();
  const copy = `${other}-copy`;
  copyFileSync(other, copy);
  symlinkSync(other, index);
  expect(await list()).toBe(1);
  expect(lstatSync(index).isSymbolicLink()).toBe(false);
  expect(readFileSync(other).equals(readFileSync(copy))).toBe(true);
});

test.runIf(isPosix)("a link to nothing in the place of the index makes no file elsewhere", async () => {
  const { index, list } = await open();
  const elsewhere = `${index}-elsewhere`;
  symlinkSync(elsewhere, index);
  expect(await list()).toBe(1);
  expect(existsSync(elsewhere)).toBe(false);
  expect(lstatSync(index).isFile()).toBe(true);
});

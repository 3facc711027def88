import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, test } from "vitest";
import { openStore } from "../../../app/store/index.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-usage-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const newPath = () => join(folder, `${files++}`, "haft.db");

/** A process that has begun a request and does not end it. */
async function holdCall(path: string): Promise<ChildProcess> {
  const fixture = join(import.meta.dirname, "../../../../test/fixtures/store/hold-model-call.ts");
  const child = spawn(process.execPath, [fixture, path], { stdio: ["pipe", "pipe", "inherit"] });
  await once(createInterface(child.stdout), "line");
  return child;
}

test("recover() books the calls of a killed process with what was reserved, and not those of one that lives", async () => {
  const path = newPath();
  const killed = await holdCall(path);
  const living = await holdCall(path);
  await using store = await openStore({ path });
  expect(await store.usage.recover()).toBe(0);
  killed.kill("SIGKILL");
  await once(killed, "close");
  expect(await store.usage.recover()).toBe(1);
  expect(await store.usage.recover()).toBe(0);
  expect(await store.usage.totals({ scope: "local" })).toMatchObject([
    { calls: 2, open: 1, failed: 1, estimated: 2, outputTokens: 2000, costMicros: 18_000, ms: 0 },
  ]);
  living.stdin?.end();
  await once(living, "close");
  expect(await store.usage.recover()).toBe(1);
});

test("recover() by many at once books a call once", async () => {
  const path = newPath();
  const child = await holdCall(path);
  child.kill("SIGKILL");
  await once(child, "close");
  const stores = await Promise.all(Array.from({ length: 4 }, () => openStore({ path })));
  const booked = await Promise.all(stores.map(({ usage }) => usage.recover()));
  expect(booked.toSorted((one, other) => one - other)).toEqual([0, 0, 0, 1]);
  for (const store of stores) await store.close();
});

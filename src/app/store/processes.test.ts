import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { sampleCall, sampleOutcome } from "../../../test/fixtures/store/sample-call.ts";
import { openStore } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-processes-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const newPath = () => join(folder, `${files++}`, "haft.db");
const fixture = (name: string) => join(import.meta.dirname, "../../../test/fixtures/store", name);
const run = promisify(execFile);

function append(path: string, prefix: string, count: number): Promise<{ stdout: string }> {
  return run(process.execPath, [fixture("append-calls.ts"), path, prefix, String(count)]);
}

/** A process that has started a call and will end it when its input ends. */
async function holdCall(path: string, callId: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [fixture("hold-call.ts"), path, callId], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(createInterface(child.stdout), "line");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "close");
}

async function readState(path: string, callId: string): Promise<string | undefined> {
  await using store = await openStore({ path });
  return (await store.ledger.show(callId))?.state;
}

test("openStore() calls the unfinished calls of a killed process unknown, and not those of one that lives", async () => {
  const path = newPath();
  const killed = await holdCall(path, "killed");
  const living = await holdCall(path, "living");
  expect([await readState(path, "killed"), await readState(path, "living")]).toEqual(["started", "started"]);
  await kill(killed);
  expect([await readState(path, "killed"), await readState(path, "living")]).toEqual(["unknown", "started"]);
  living.stdin?.end();
  await once(living, "close");
  await using store = await openStore({ path });
  expect((await store.ledger.list()).map(({ callId, state }) => [callId, state])).toEqual([
    ["living", "completed"],
    ["killed", "unknown"],
  ]);
  expect((await store.ledger.verify()).valid).toBe(true);
});

test("openStore() says once of a call that it is unknown, however many open the store at once", async () => {
  const path = newPath();
  await kill(await holdCall(path, "killed"));
  const stores = await Promise.all(Array.from({ length: 5 }, () => openStore({ path })));
  expect(await stores[4]?.ledger.verify()).toMatchObject({ valid: true, rows: 2 });
  for (const store of stores) await store.close();
});

test("openStore() leaves the calls of another store of the same process alone", async () => {
  const path = newPath();
  await using first = await openStore({ path });
  await first.ledger.start(sampleCall("mine"));
  await using second = await openStore({ path });
  expect((await second.ledger.show("mine"))?.state).toBe("started");
  await first.ledger.end(sampleCall("mine"), sampleOutcome());
  expect((await second.ledger.show("mine"))?.state).toBe("completed");
});

test("Store.close() leaves a call that has not ended to be found unknown", async () => {
  const path = newPath();
  const store = await openStore({ path });
  await store.ledger.start(sampleCall("left"));
  await store.close();
  expect(await readState(path, "left")).toBe("unknown");
});

test("LedgerStore.end() counts, even if the call was believed to be lost", async () => {
  const path = newPath();
  await using store = await openStore({ path });
  await store.ledger.start(sampleCall("suspended"));
  rmSync(`${path}-runs`, { recursive: true });
  expect(await readState(path, "suspended")).toBe("unknown");
  await store.ledger.end(sampleCall("suspended"), sampleOutcome());
  expect(await store.ledger.show("suspended")).toMatchObject({
    state: "completed",
    summary: "wrote 100 characters",
  });
});

test("Ledger: two processes write one chain, and no row is lost", async () => {
  const path = newPath();
  await using store = await openStore({ path });
  const output = await Promise.all([append(path, "a", 400), append(path, "b", 400)]);
  expect(output.map(({ stdout }) => stdout)).toEqual(["done\n", "done\n"]);
  expect(await store.ledger.verify()).toMatchObject({ valid: true, rows: 1600 });
  expect((await store.ledger.list({ state: "completed", limit: 1000 })).length).toBe(800);
});

test("openStore() makes a new file once, although four processes open it at the same time", async () => {
  for (let round = 0; round < 3; round++) {
    const path = newPath();
    const output = await Promise.all(["a", "b", "c", "d"].map((prefix) => append(path, prefix, 5)));
    expect(output.map(({ stdout }) => stdout)).toEqual(["done\n", "done\n", "done\n", "done\n"]);
    await using store = await openStore({ path });
    expect(await store.ledger.verify()).toMatchObject({ valid: true, rows: 40 });
  }
});

test("openStore() and the recording of calls load no package", async () => {
  const path = newPath();
  await append(path, "a", 1);
  const { stdout } = await run(process.execPath, [fixture("list-packages.ts"), path]);
  expect(JSON.parse(stdout)).toEqual({ whenRecorded: [], listed: 2, whenListed: ["kysely"] });
});

test("the store says STORE_FULL on a full disk, loses nothing, and goes on once there is space", async ({
  skip,
}) => {
  // In a mount namespace of its own: nothing is left mounted.
  const mount = join(folder, "small-disk");
  const script = `mkdir -p "$1" && mount -t tmpfs -o size=8m none "$1" && exec "$2" "$3" "$1"`;
  const command = ["-rm", "sh", "-c", script, "sh", mount, process.execPath, fixture("fill-disk.ts")];
  const probe = await run("unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).then(
    () => undefined,
    (error: Error) => error.message,
  );
  skip(probe !== undefined, `this user may not mount a small disk: ${probe}`);
  const { stdout } = await run("unshare", command);
  expect(JSON.parse(stdout)).toEqual({
    opening:
      'Cannot open the store "FOLDER/haft.db": the disk that holds it is full; free some space: nothing that was stored is lost, and the next call tries again',
    failures: { file: "STORE_FULL", row: "STORE_FULL", ledger: "STORE_FULL" },
    lost: [],
    filesLeftOver: 0,
    acknowledgedAfter: 40,
    valid: true,
    damage: [],
    kept: 400_000,
  });
});

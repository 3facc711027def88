import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { openStore, type Store, type StoreOptions } from "../../../app/store/index.ts";
import { createFakeClock } from "../../../testing/index.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-retention-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const day = 86_400_000;

async function open(options: Partial<StoreOptions> = {}) {
  const clock = createFakeClock();
  const path = join(folder, `${files++}`, "haft.db");
  const store = await openStore({ path, clock, ...options });
  return { store, clock, path };
}

function put(store: Store, kind: "output" | "former", bytes: number) {
  return store.artifacts.put({
    scope: "s",
    callId: "c_1",
    kind,
    mimeType: "text/plain",
    data: "x".repeat(bytes),
  });
}

/** A former content that an undo of the call needs. */
async function putFormer(store: Store, callId: string, bytes: number) {
  const { id } = await put(store, "former", bytes);
  await store.changes.record({
    scope: "s",
    callId,
    path: "/file",
    before: { artifactId: id, mode: 0o644 },
    afterHash: null,
  });
  return { id };
}

async function exist(store: Store, refs: readonly { readonly id: string }[]): Promise<boolean[]> {
  return Promise.all(refs.map(async ({ id }) => (await store.artifacts.describe("s", id)) !== undefined));
}

test("Artifacts.prune() removes what is older than asked, but not what an undo still needs", async () => {
  const { store, clock } = await open();
  const refs = [
    await put(store, "output", 10),
    await putFormer(store, "c_1", 20),
    await putFormer(store, "c_2", 40),
  ];
  await store.changes.markUndone("s", "c_2");
  await clock.advance(2 * day);
  refs.push(await put(store, "output", 80));
  expect(await store.artifacts.prune({ olderThanMs: day })).toEqual({ artifacts: 2, bytes: 50 });
  expect(await exist(store, refs)).toEqual([false, true, false, true]);
  await store.close();
});

test("Artifacts.prune() removes what no undo needs first, then the oldest that one does", async () => {
  const { store, clock } = await open();
  const refs = [];
  for (const callId of ["c_1", "c_2"]) {
    refs.push(await putFormer(store, callId, 100));
    await clock.advance(1000);
  }
  refs.push(await put(store, "output", 100));
  expect(await store.artifacts.prune({ maxBytes: 250 })).toEqual({ artifacts: 1, bytes: 100 });
  expect(await exist(store, refs)).toEqual([true, true, false]);
  expect(await store.artifacts.prune({ maxBytes: 100 })).toEqual({ artifacts: 1, bytes: 100 });
  expect(await exist(store, refs)).toEqual([false, true, false]);
  await store.close();
});

test("Artifacts.prune() is not led astray by a change of another scope that names the artifact", async () => {
  const { store, clock } = await open();
  const ref = await put(store, "output", 10);
  await store.changes.record({
    scope: "other",
    callId: "c_1",
    path: "/f",
    before: { artifactId: ref.id, mode: 0 },
    afterHash: null,
  });
  await clock.advance(day);
  expect(await store.artifacts.prune({ olderThanMs: 1 })).toEqual({ artifacts: 1, bytes: 10 });
  await store.close();
});

test("Artifacts.prune() removes the files of large artifacts, and those that a killed put left", async () => {
  const { store, path, clock } = await open();
  await put(store, "output", 300_000);
  await clock.advance(1);
  const kept = await put(store, "output", 300_001);
  const names = () => readdirSync(`${path}-artifacts`).sort();
  const [left, fresh] = ["a_left", "a_fresh"].map((name) => join(`${path}-artifacts`, name)) as [
    string,
    string,
  ];
  writeFileSync(left, "left");
  utimesSync(left, 1, 1);
  writeFileSync(fresh, "of a put that runs");
  const now = clock.now() / 1000;
  utimesSync(fresh, now, now);
  await store.artifacts.prune({ maxBytes: 300_001 });
  expect(names()).toEqual(["a_fresh", kept.id].sort());
  await store.close();
});

test("Artifacts.put() makes room past the limit of all, and spares what is young", async () => {
  const { store, clock } = await open({ maxTotalArtifactBytes: 1000 });
  const refs = [];
  for (let count = 0; count < 5; count++) {
    refs.push(await put(store, "output", 300));
    await clock.advance(1000);
  }
  expect(await exist(store, refs)).toEqual([true, true, true, true, true]);
  await clock.advance(600_000);
  refs.push(await put(store, "output", 300));
  expect(await exist(store, refs)).toEqual([false, false, false, true, true, true]);
  await store.close();
});

test("Artifacts.put() refuses what is over the limit of one with STORE_TOO_LARGE and keeps nothing of it", async () => {
  const { store, path } = await open({ maxArtifactBytes: 300_000 });
  await expect(put(store, "output", 300_001)).rejects.toMatchObject({
    code: "STORE_TOO_LARGE",
    details: { bytes: 300_001, maxBytes: 300_000 },
  });
  await put(store, "output", 300_000);
  expect(readdirSync(`${path}-artifacts`).length).toBe(1);
  await store.close();
});

test("Artifacts.readText() says STORE_CORRUPT where the file of an artifact is gone or cut short", async () => {
  const { store, path } = await open();
  const gone = await put(store, "output", 300_000);
  const short = await put(store, "output", 300_000);
  rmSync(join(`${path}-artifacts`, gone.id));
  writeFileSync(join(`${path}-artifacts`, short.id), "x".repeat(10));
  const range = { offset: 1000, length: 10 };
  for (const { id } of [gone, short]) {
    await expect(store.artifacts.readText("s", id, range)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await expect(store.artifacts.readBytes("s", id)).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  }
  await store.close();
});

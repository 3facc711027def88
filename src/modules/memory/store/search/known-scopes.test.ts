import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStore } from "../../../../app/store/open-store.ts";
import { createFakeClock } from "../../../../testing/index.ts";

const by = { by: "test" };

test("a search sees what changed since the last one, in this process and in another connection", async () => {
  const path = join(mkdtempSync(join(tmpdir(), "haft-known-")), "memory.db");
  await using one = await openStore({ path });
  await using other = await openStore({ path });
  const found = async () =>
    (await one.memory.search("ada", { query: "harbour" })).hits.map(({ entry }) => entry.text).toSorted();
  const add = (store: typeof one, text: string) =>
    store.memory.edit("ada", [{ do: "create_block", entry: { kind: "memory", text } }], by);

  expect(await found()).toEqual([]);
  const [first] = await add(one, "A harbour");
  expect(await found()).toEqual(["A harbour"]);
  await add(other, "Harbour of Genoa");
  expect(await found()).toEqual(["A harbour", "Harbour of Genoa"]);
  await other.memory.edit("ada", [{ do: "delete_block", id: first?.id ?? "" }], by);
  expect(await found()).toEqual(["Harbour of Genoa"]);
  await one.memory.edit("ada", [{ do: "undo_block", id: first?.id ?? "" }], by);
  expect(await found()).toEqual(["A harbour", "Harbour of Genoa"]);
});

test("an entry that is no longer valid is not found by the search that found it before", async () => {
  const clock = createFakeClock(1_000);
  await using store = await openStore({ path: ":memory:", clock });
  const entry = { kind: "memory", text: "The harbour is closed", validTo: 2_000 } as const;
  await store.memory.edit("ada", [{ do: "create_block", entry }], by);
  const total = async () => (await store.memory.search("ada", { query: "harbour" })).total;
  expect([await total(), await total()]).toEqual([1, 1]);
  await clock.advance(1_500);
  expect(await total()).toBe(0);
});

test("what a filter leaves out of one search is in the next one without it", async () => {
  await using store = await openStore({ path: ":memory:" });
  const entries = ["memory", "note"].map((kind) => ({ kind, text: `A harbour for a ${kind}` }) as const);
  await store.memory.edit(
    "ada",
    entries.map((entry) => ({ do: "create_block", entry })),
    by,
  );
  const total = async (kinds?: readonly ("memory" | "note")[]) =>
    (await store.memory.search("ada", { query: "harbour", ...(kinds && { kinds }) })).total;
  expect([await total(["note"]), await total(), await total(["memory"]), await total(["note"])]).toEqual([
    1, 2, 1, 1,
  ]);
});

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { openStore } from "../../../app/store/index.ts";
import { createRedactor } from "../../../kernel/index.ts";
import { createFakeClock } from "../../../testing/index.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-search-store-"));
afterAll(() => rmSync(folder, { recursive: true }));

const day = 86_400_000;
const run = promisify(execFile);
const learnUses = join(import.meta.dirname, "../../../../test/fixtures/store/learn-uses.ts");

const letters = (text: string): string[] => text.split("");

/** Vectors of 100 bytes. */
function makeVectors(...hashes: readonly string[]): Map<string, Float32Array> {
  return new Map(hashes.map((hash) => [hash, new Float32Array(25)]));
}

test("VectorCache lets those go that were used longest ago, once they are over its bound", async () => {
  const clock = createFakeClock();
  await using store = await openStore({ path: ":memory:", clock, maxVectorBytes: 1_000 });
  const kept = async () => [...(await store.vectors.get("m", letters("abcdefghijkl"))).keys()].join("");
  await store.vectors.put("m", makeVectors(...letters("abcdefghij")));
  await clock.advance(day + 1);
  expect([...(await store.vectors.get("m", ["a", "b"])).keys()]).toEqual(["a", "b"]);
  await clock.advance(1);
  await store.vectors.put("m", makeVectors("k"));
  expect(await kept()).toBe("abefghijk");
  await store.vectors.put("n", makeVectors("x", "y"));
  expect(await kept()).toBe("efghijk");
});

test("VectorCache keeps what it was given last, also where that alone is over its bound", async () => {
  await using store = await openStore({ path: ":memory:", maxVectorBytes: 1_000 });
  const many = Array.from({ length: 1_200 }, (_, index) => `h${index}`);
  await store.vectors.put("m", makeVectors(...many));
  expect((await store.vectors.get("m", many)).size).toBe(9);
});

test("VectorCache takes a row that is no vector for none", async () => {
  const path = join(folder, "damaged.db");
  await using store = await openStore({ path });
  await store.vectors.put("m", makeVectors("a", "b"));
  const db = new DatabaseSync(path);
  db.exec("update text_vector set vector = x'010203' where hash = 'a'");
  db.close();
  expect([...(await store.vectors.get("m", ["a", "b"])).keys()]).toEqual(["b"]);
});

test("UsageMemory keeps no secret, not even the beginning of one that is cut", async () => {
  const redact = createRedactor(new Map([["API key", "sk-123456789-abcdefghij"]]));
  await using store = await openStore({ path: ":memory:", redact });
  await store.toolUsage.learn("local", {
    toolName: "bash",
    goal: `deploy with sk-123456789-abcdefghij ${"x".repeat(450)} sk-123456789-abcdefghij`,
    at: 1,
  });
  const [kept] = await store.toolUsage.list("local");
  expect(kept?.goal).toMatch(/^deploy with \S*API key\S* x{450}/);
  expect(kept?.goal).not.toContain("sk-");
});

test("UsageMemory keeps as many messages of a tool as it is told to", async () => {
  await using store = await openStore({ path: ":memory:", maxUsesPerTool: 2 });
  for (const [at, goal] of ["a", "b", "c", "a"].entries())
    await store.toolUsage.learn("local", { toolName: "grep", goal, at });
  expect((await store.toolUsage.list("local")).map(({ goal }) => goal)).toEqual(["a", "c"]);
});

test("UsageMemory keeps 20,000 messages of a scope, however many tools there were, and all of another", async () => {
  const path = join(folder, "many-tools.db");
  await using store = await openStore({ path });
  const db = new DatabaseSync(path);
  db.exec(
    "insert into tool_usage with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) select 'local', 'tool ' || i, 'hash', 'goal', i from n",
  );
  db.exec("insert into tool_usage values ('other', 'tool', 'hash', 'goal', 0)");
  db.close();
  await store.toolUsage.learn("local", { toolName: "grep", goal: "find", at: 30_000 });
  const kept = await store.toolUsage.list("local");
  expect([kept.length, kept[0]?.toolName, kept.at(-1)?.toolName]).toEqual([20_000, "grep", "tool 2"]);
  expect(await store.toolUsage.list("other")).toHaveLength(1);
});

test("IndexStore keeps the eight indexes that were saved last, and refuses one that is too large", async () => {
  const clock = createFakeClock();
  await using store = await openStore({ path: ":memory:", clock });
  const { searchIndex } = store;
  for (const form of "abcdefghij") {
    await clock.advance(1);
    await searchIndex.save(form, Uint8Array.of(1));
  }
  const forms = await Promise.all(
    letters("abcdefghij").map(async (form) => (await searchIndex.load(form)) && form),
  );
  expect(forms.join("")).toBe("cdefghij");
  await expect(searchIndex.save("k", new Uint8Array(67_108_865))).rejects.toMatchObject({
    code: "STORE_TOO_LARGE",
  });
});

test("several processes learn, cache and save at once, and nothing is lost", async () => {
  const path = join(folder, "shared", "haft.db");
  const prefixes = ["a", "b", "c"];
  const output = await Promise.all(
    prefixes.map((prefix) => run(process.execPath, [learnUses, path, prefix, "40"])),
  );
  expect(output.map(({ stdout }) => stdout)).toEqual(["done\n", "done\n", "done\n"]);
  await using store = await openStore({ path });
  const hashes = prefixes.flatMap((prefix) => Array.from({ length: 40 }, (_, index) => `${prefix}${index}`));
  const vectors = await store.vectors.get("stub", hashes);
  expect(vectors.size).toBe(120);
  expect(vectors.get("b7")).toEqual(Float32Array.of(7));
  const uses = await store.toolUsage.list("local");
  expect(uses).toHaveLength(20);
  expect(uses.slice(0, 3).map(({ at }) => at)).toEqual([39, 39, 39]);
  expect(new TextDecoder().decode(await store.searchIndex.load("form"))).toMatch(/^[abc] 39$/);
  expect(await store.check()).toEqual([]);
});

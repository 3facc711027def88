import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../../../test/support/vector-world.ts";
import { openStore } from "../../../app/store/index.ts";
import { systemClock } from "../../../base/index.ts";
import { createRedactor } from "../../../kernel/index.ts";
import { SqlMemory } from "./sql-memory.ts";

const secret = "sk-123456789-abcdefghij";
const author = { by: "agent:ada" };

test("SqlMemory keeps no secret in a text or a fact of an entry, and takes none for a label", async () => {
  const redact = createRedactor(new Map([["KEY", secret]]));
  await using store = await openStore({ path: ":memory:", redact });
  const [made] = await store.memory.edit(
    "local",
    [
      {
        do: "create_block",
        entry: {
          kind: "memory",
          text: `use ${secret}`,
          title: secret,
          names: [secret],
          tags: [secret],
          category: secret,
          place: { session: "s", speaker: secret },
        },
      },
      { do: "append_to_block", id: "#0", text: `or ${secret}` },
      { do: "set_block_facts", id: "#0", facts: { title: `the ${secret}` } },
    ],
    author,
  );
  const { id = "", text, title } = made ?? {};
  expect([text, title]).toEqual(["use [redacted:KEY]\nor [redacted:KEY]", "the [redacted:KEY]"]);
  const all = [
    await store.memory.get("local", id),
    await store.memory.history("local", id),
    await store.memory.search("local", { query: "use" }),
  ];
  expect(JSON.stringify(all)).not.toContain(secret);
  expect((await store.memory.search("local", { query: secret })).hits).toEqual([]);
  const labelled = { do: "create_block", entry: { kind: "block", text: "t", label: secret } } as const;
  await expect(store.memory.edit("local", [labelled], author)).rejects.toMatchObject({
    code: "MEMORY_LABEL",
    message: expect.not.stringContaining(secret) as string,
  });
});

test("SqlMemory makes thousands of entries in one change, and finds few among them; more than 10,000 it refuses", async () => {
  await using store = await openStore({ path: ":memory:" });
  const many = Array.from({ length: 3000 }, (_, index) => ({
    do: "create_block" as const,
    entry: { kind: "message", text: `turn ${index}`, place: { session: "s" } },
  }));
  const made = await store.memory.edit("local", many, author);
  expect(made.map(({ place }) => place?.position)).toEqual(many.map((_, index) => index + 1));
  const block = { kind: "block", text: "in sight", tier: "core", pinned: true } as const;
  await store.memory.edit("local", [{ do: "create_block", entry: block }], author);
  for (const listing of [
    { tiers: ["core", "working"] },
    { pinned: true },
    { kinds: ["block", "note"] },
  ] as const)
    expect(await store.memory.list("local", listing)).toMatchObject({
      total: 1,
      entries: [{ text: "in sight" }],
    });
  await expect(store.memory.edit("local", Array(10_001).fill(many[0]), author)).rejects.toMatchObject({
    code: "MEMORY_INVALID",
  });
});

test("SqlMemory.reindex() makes the index of a scope what its entries are, whatever it held, and no other's", async () => {
  const db = await openDatabase();
  onTestFinished(() => db.close());
  const memory = new SqlMemory(db, { clock: systemClock, redact: undefined });
  const keep = (scope: string, text: string) =>
    memory.edit(scope, [{ do: "create_block", entry: { kind: "memory", text, names: [text] } }], author);
  const [, shared] = [await keep("ada", "zebra"), ...(await keep("bob", "quagga"))];
  await keep("bob", "okapi");
  const share = { do: "share_block", id: shared?.id ?? "", with: "ada", permission: "read_only" } as const;
  await memory.edit("bob", [share], author);
  const read = () =>
    db.write(async (tx) => ({
      scopes: await tx.selectFrom("memory_scope").selectAll().orderBy("id").execute(),
      words: await tx.selectFrom("memory_word").selectAll().execute(),
      names: await tx.selectFrom("memory_name").selectAll().execute(),
    }));
  const sound = await read();
  const spoil = () =>
    db.write(async (tx) => {
      await tx.deleteFrom("memory_name").execute();
      await tx.deleteFrom("memory_word").where("word", "!=", "okapi").execute();
      const wrong = { scope_id: sound.scopes[0]?.id ?? 0, word: "wrong", entry_seq: 1, counts: 1 };
      await tx.insertInto("memory_word").values(wrong).execute();
      await tx.updateTable("memory_scope").set({ entries: 99 }).execute();
    });
  await spoil();
  expect(await memory.search("ada", { query: "quagga" })).toMatchObject({ hits: [{ match: "keyword" }] });
  const spoilt = await read();
  await expect(memory.reindex("ada", AbortSignal.abort("no"))).rejects.toBe("no");
  expect(await read()).toEqual(spoilt);
  expect([await memory.reindex("ada"), await memory.reindex("bob")]).toEqual([2, 2]);
  expect(await read()).toEqual(sound);
  expect(await memory.search("ada", { query: "quagga" })).toMatchObject({ hits: [{ match: "name" }] });
});

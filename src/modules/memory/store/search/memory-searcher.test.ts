import { expect, test } from "vitest";
import { openStore, type StoreOptions } from "../../../../app/store/open-store.ts";
import type { Embedder } from "../../../../search/index.ts";
import { createFakeClock } from "../../../../testing/index.ts";
import type { NewMemoryEntry } from "../memory-entry.ts";
import type { MemoryHits } from "../memory-store.ts";

const author = { by: "agent:test" };

async function openWith(entries: readonly Partial<NewMemoryEntry>[], options: Partial<StoreOptions> = {}) {
  const store = await openStore({ path: ":memory:", ...options });
  const edits = entries.map((entry) => ({
    do: "create_block" as const,
    entry: { kind: "memory", text: "", ...entry },
  }));
  const made = await store.memory.edit("ada", edits, author);
  return { store, made, [Symbol.asyncDispose]: () => store.close() };
}

const listTexts = ({ hits }: MemoryHits) => hits.map(({ entry }) => entry.text);

test("a search finds by any of the words, the rarest first", async () => {
  await using kept = await openWith([
    { text: "Tea in the garden" },
    { text: "Tea in the kitchen" },
    { text: "Nothing of it" },
    { text: "Tea for two" },
  ]);
  const found = await kept.store.memory.search("ada", { query: "Where was the tea in the kitchens?" });
  expect(listTexts(found)).toEqual(["Tea in the kitchen", "Tea for two", "Tea in the garden"]);
  expect(found).toMatchObject({ total: 3, by: "words", note: undefined, time: undefined });
  expect(found.hits[0]).toMatchObject({ score: 1, match: "full-text", before: [], after: [] });
});

test("a search never finds what another scope has", async () => {
  await using kept = await openWith([{ text: "The key is under the mat", names: ["Key"] }]);
  for (const mode of ["auto", "names", "words", "meaning"] as const) {
    const found = await kept.store.memory.search("grace", { query: "key", mode });
    expect(found.hits).toEqual([]);
    expect(found.note).toBe("Nothing is remembered here yet");
  }
});

test("an entry that is shared is found by its words and without its neighbours", async () => {
  await using kept = await openWith([
    { kind: "message", text: "Shall we speak of the merger?", place: { session: "s" } },
    { kind: "message", text: "The lunch is at noon", place: { session: "s" } },
  ]);
  const [, lunch] = kept.made;
  await kept.store.memory.edit(
    "ada",
    [{ do: "share_block", id: lunch?.id ?? "", with: "grace", permission: "read_only" }],
    author,
  );
  const found = await kept.store.memory.search("grace", { query: "lunch", window: 2 });
  expect(listTexts(found)).toEqual(["The lunch is at noon"]);
  expect(found.hits[0]?.before).toEqual([]);
  expect(listTexts(await kept.store.memory.search("grace", { query: "merger" }))).toEqual([]);
  const { hits } = await kept.store.memory.search("grace", { query: "lunch", owned: "own" });
  expect(hits).toEqual([]);
});

test("a reply is found by the words of the question before it, and read with it", async () => {
  await using kept = await openWith([
    { kind: "message", text: "Hello there", place: { session: "s" } },
    { kind: "message", text: "What is your dog called?", place: { session: "s" } },
    { kind: "message", text: "Bruno, since he was small", place: { session: "s" } },
    { kind: "message", text: "Bye", place: { session: "s" } },
    { kind: "message", text: "Bye bye", place: { session: "t" } },
  ]);
  const found = await kept.store.memory.search("ada", { query: "dog", window: 1 });
  const reply = found.hits.find(({ entry }) => entry.text.startsWith("Bruno"));
  expect(reply?.before.map(({ text }) => text)).toEqual(["What is your dog called?"]);
  expect(reply?.after.map(({ text }) => text)).toEqual(["Bye"]);
  expect(listTexts(found)).not.toContain("Bye bye");
});

test("what a filter leaves out does not take the place of what it leaves", async () => {
  const others = Array.from({ length: 30 }, (_, at) => ({
    text: `apple apple apple ${at}`,
    tags: ["fruit"],
  }));
  await using kept = await openWith([...others, { text: "An apple a day", tags: ["saying"] }]);
  const found = await kept.store.memory.search("ada", { query: "apple", limit: 1, tags: ["saying"] });
  expect(listTexts(found)).toEqual(["An apple a day"]);
  expect(found.total).toBe(1);
  const none = await kept.store.memory.search("ada", { query: "apple", tags: ["poem"] });
  expect(none).toMatchObject({ hits: [], total: 0 });
  expect(none.note).toContain("31 of 31 entries match, but the filters leave them out");
});

test("deleted and superseded entries are found only when asked for", async () => {
  await using kept = await openWith([{ text: "Lives in Rome" }, { text: "Lives in Oslo" }]);
  const [rome, oslo] = kept.made;
  await kept.store.memory.edit(
    "ada",
    [{ do: "set_block_facts", id: rome?.id ?? "", facts: { supersededBy: oslo?.id ?? "" } }],
    author,
  );
  const search = (also: "superseded" | "deleted" | undefined) =>
    kept.store.memory.search("ada", { query: "lives", ...(also !== undefined && { with: [also] }) });
  expect(listTexts(await search(undefined))).toEqual(["Lives in Oslo"]);
  expect(listTexts(await search("superseded"))).toEqual(["Lives in Oslo", "Lives in Rome"]);
  await kept.store.memory.edit("ada", [{ do: "delete_block", id: oslo?.id ?? "" }], author);
  expect(listTexts(await search(undefined))).toEqual([]);
  expect(listTexts(await search("deleted"))).toEqual(["Lives in Oslo"]);
});

test("an entry is found by its new words once its text changed, and no more by the old ones", async () => {
  await using kept = await openWith([{ text: "The parrot sleeps", names: ["Polly"] }]);
  const id = kept.made[0]?.id ?? "";
  await kept.store.memory.edit("ada", [{ do: "update_block_text", id, text: "The canary sings" }], author);
  const found = async (query: string) => listTexts(await kept.store.memory.search("ada", { query }));
  expect(await found("parrot")).toEqual([]);
  expect(await found("canary")).toEqual(["The canary sings"]);
  await kept.store.memory.edit("ada", [{ do: "erase_block", id }], author);
  expect(await found("canary Polly")).toEqual([]);
});

test("mode names gives only what the query names, with one slip", async () => {
  await using kept = await openWith([
    { text: "A database", label: "postgres-setup", names: ["PostgreSQL", "Postgres"] },
    { text: "We talked of postgres yesterday" },
    { text: "蓝色计划", names: ["蓝色计划"] },
  ]);
  const named = (query: string) => kept.store.memory.search("ada", { query, mode: "names" });
  expect((await named("how do we use postgers?")).hits).toMatchObject([
    { match: "name", score: 1, entry: { text: "A database" } },
  ]);
  expect((await named("请说蓝色计划的进度")).hits).toMatchObject([{ entry: { text: "蓝色计划" } }]);
  expect(await named("databases")).toMatchObject({
    hits: [],
    by: "names",
    note: "None of 3 entries has a name that the query says",
  });
  const both = await kept.store.memory.search("ada", { query: "postgres" });
  expect(both.hits.map(({ match }) => match)).toEqual(["name", "full-text"]);
});

test("a question for what was said then leaves what is of that time, and nothing is left out where none is", async () => {
  const now = Date.UTC(2026, 10, 22);
  await using kept = await openWith([
    { text: "Swam in the sea", at: Date.UTC(2026, 6, 9) },
    { text: "Swam in the lake", at: Date.UTC(2026, 4, 9) },
  ]);
  const search = (query: string, timePhrases = true) =>
    kept.store.memory.search("ada", { query, now, timePhrases });
  const inMay = await search("where did I say that I swam in May");
  expect(listTexts(inMay)).toEqual(["Swam in the lake"]);
  expect(inMay.time).toEqual({ phrase: "in May", since: Date.UTC(2026, 4, 1), until: Date.UTC(2026, 5, 1) });
  expect(inMay.note).toBeUndefined();
  expect((await search("where did I say that I swam in May", false)).hits).toHaveLength(2);
  const inJune = await search("where did I say that I swam in June");
  expect(inJune.hits).toHaveLength(2);
  expect(inJune.time).toBeUndefined();
  expect(inJune.note).toBe(
    'Nothing found is of "in June" (2026-06-01 to 2026-06-30): these are of other times',
  );
  const swum = await search("where I swam in May");
  expect(listTexts(swum)).toEqual(["Swam in the lake", "Swam in the sea"]);
  expect([swum.time, swum.note]).toEqual([undefined, undefined]);
});

test("order recent gives the newest of those that match, equals come newest first", async () => {
  const at = (day: number) => Date.UTC(2026, 0, day);
  await using kept = await openWith([
    { text: "Ran ran ran", at: at(1) },
    { text: "Ran home", at: at(3) },
    { text: "Ran home", at: at(2) },
    { text: "Sat", at: at(4) },
  ]);
  const found = await kept.store.memory.search("ada", { query: "ran", order: "recent" });
  expect(found.hits.map(({ entry }) => entry.at)).toEqual([at(3), at(2), at(1)]);
  const home = await kept.store.memory.search("ada", { query: "home" });
  expect(home.hits.map(({ entry }) => entry.at)).toEqual([at(3), at(2)]);
});

test("a stretch of characters is looked for where no word is found", async () => {
  await using kept = await openWith([{ text: "error E_100%_x at start" }, { text: "E_1000_x" }]);
  const found = await kept.store.memory.search("ada", { query: "00%_" });
  expect(found.hits).toMatchObject([{ match: "keyword", entry: { text: "error E_100%_x at start" } }]);
});

test("a query of any characters is a question, never a pattern", async () => {
  await using kept = await openWith([{ text: "plain words" }]);
  for (const query of ['" OR 1=1 --', "NEAR(plain", "text:*", "(((", "%", "", "\0", "a".repeat(100_000)]) {
    await expect(kept.store.memory.search("ada", { query })).resolves.toMatchObject({ by: "words" });
  }
});

test("a character that is mostly grammar finds what has it, after what says more of the query", async () => {
  await using kept = await openWith([{ text: "会计" }, { text: "猫会跳" }, { text: "狗" }]);
  const found = async (query: string) => listTexts(await kept.store.memory.search("ada", { query }));
  expect(await found("她会什么")).toEqual(expect.arrayContaining(["会计"]));
  expect(await found("会不会是猫")).toEqual(["猫会跳", "会计"]);
});

test("limit and offset page through the hits; past the last a note says so", async () => {
  await using kept = await openWith(Array.from({ length: 7 }, (_, at) => ({ text: `walk number ${at}` })));
  const page = (offset: number) => kept.store.memory.search("ada", { query: "walk", limit: 3, offset });
  const pages = [await page(0), await page(3), await page(6)];
  expect(new Set(pages.flatMap(listTexts)).size).toBe(7);
  expect(pages.map(({ total }) => total)).toEqual([7, 7, 7]);
  expect(await page(9)).toMatchObject({
    hits: [],
    total: 7,
    note: "There are only 7 hits: ask for an earlier page",
  });
  await expect(page(-1)).rejects.toMatchObject({ code: "MEMORY_INVALID" });
});

test("a frequent word counts where a rarer one is found", async () => {
  const many = Array.from({ length: 2100 }, () => ({ text: "common" }));
  const turns = ["zebra crossing common", "zebra crossing"].map((text) => ({ kind: "message", text }));
  await using kept = await openWith([...turns, ...many]);
  const found = await kept.store.memory.search("ada", { query: "common zebra crossing" });
  expect(listTexts(found)).toEqual(["zebra crossing common", "zebra crossing"]);
});

const carsAndTrees = (texts: readonly string[]) =>
  texts.map((text) => Float32Array.of(/car|auto/i.test(text) ? 1 : 0, /tree/.test(text) ? 1 : 0.1));

test("meaning finds what has no word of the query, and filters hold for it too", async () => {
  const embedder: Embedder = { id: "test", embed: async (texts) => carsAndTrees(texts) };
  await using kept = await openWith(
    [
      { text: "Her automobile is red" },
      { text: "A tall tree" },
      { text: "An auto that went", tags: ["old"] },
    ],
    { embedder: async () => embedder },
  );
  await kept.store.memory.ready();
  const found = await kept.store.memory.search("ada", { query: "cars", limit: 2 });
  expect(found).toMatchObject({ by: "words and meaning" });
  expect(found.hits.map(({ match }) => match)).toEqual(["embedding", "embedding"]);
  expect(listTexts(found)).not.toContain("A tall tree");
  const old = await kept.store.memory.search("ada", { query: "cars", tags: ["old"] });
  expect(listTexts(old)).toEqual(["An auto that went"]);
});

test("what was remembered last is found by its meaning at once; a note says where that takes too long", async () => {
  const answers: (() => void)[] = [];
  let isSlow = false;
  const embedder: Embedder = {
    id: "test",
    embed: async (texts) => carsAndTrees(texts),
    background: {
      id: "test",
      embed: async (texts) => {
        if (isSlow) await new Promise<void>((resolve) => answers.push(resolve));
        return carsAndTrees(texts);
      },
    },
  };
  const clock = createFakeClock();
  const entries = [{ text: "Her automobile is red" }, { text: "A tall tree" }];
  await using kept = await openWith(entries, { clock, embedder: async () => embedder });
  const found = await kept.store.memory.search("ada", { query: "cars", limit: 1 });
  expect(found).toMatchObject({ by: "words and meaning", note: undefined });
  expect(listTexts(found)).toEqual(["Her automobile is red"]);
  isSlow = true;
  await kept.store.memory.edit(
    "ada",
    [{ do: "create_block", entry: { kind: "memory", text: "An auto" } }],
    author,
  );
  const searching = kept.store.memory.search("ada", { query: "cars" });
  await expect.poll(() => clock.pending).toBeGreaterThan(0);
  await clock.advance(700);
  const late = await searching;
  expect(listTexts(late)).toEqual(["Her automobile is red", "A tall tree"]);
  expect(late.note).toBe("Not compared by meaning yet, only by words: 1 of 3 entries");
  for (const answer of answers) answer();
});

test("mode alike gives what shares the words of a text, the most first, and nothing that is not meant", async () => {
  await using kept = await openWith([
    { text: "Ada's dog is called Rex and he likes the park" },
    { text: "The dog of Ada is called Max and he likes the park" },
    { text: "The dog is called Rex" },
    { text: "I am" },
    ...Array.from({ length: 60 }, (_, at) => ({ text: `Ada has been to park number${at}` })),
  ]);
  const like = async (query: string, filter = {}) =>
    (await kept.store.memory.search("ada", { query, mode: "alike", ...filter })).hits;
  const hits = await like("Ada's dog is called Rex and he likes the park.");
  expect(hits.slice(0, 3).map(({ entry }) => entry.text)).toEqual([
    "Ada's dog is called Rex and he likes the park",
    "The dog is called Rex",
    "The dog of Ada is called Max and he likes the park",
  ]);
  expect(hits.slice(0, 4).map(({ score }) => score.toFixed(2))).toEqual(["1.00", "1.00", "0.83", "0.67"]);
  expect(await like("ADA'S dog is called Rex and he likes the park!", { kinds: ["block"] })).toEqual([]);
  expect(await like("Nothing of that kind was ever said")).toEqual([]);
  expect(await like("I am.")).toMatchObject([{ score: 1, entry: { text: "I am" } }]);
});

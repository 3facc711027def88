import { expect, test } from "vitest";
import { openStore } from "../../../../app/store/open-store.ts";
import type { Embedder } from "../../../../search/index.ts";
import { createFakeClock } from "../../../../testing/index.ts";

const author = { by: "agent:test" };

/** A store whose model answers the texts that it is to answer, and the others at the end. */
async function openWith(answers: (texts: readonly string[]) => boolean) {
  const end = Promise.withResolvers<void>();
  const embed = async (texts: readonly string[]) => {
    if (!answers(texts)) await end.promise;
    return texts.map(() => Float32Array.of(1, 2));
  };
  const embedder: Embedder = { id: "test", embed };
  const clock = createFakeClock();
  const store = await openStore({ path: ":memory:", clock, embedder: async () => embedder });
  const remember = (...texts: readonly string[]) => {
    const entry = (text: string) => ({ kind: "memory" as const, text });
    return store.memory.edit(
      "ada",
      texts.map((text) => ({ do: "create_block" as const, entry: entry(text) })),
      author,
    );
  };
  const search = (query: string) => store.memory.search("ada", { query });
  const close = () => {
    end.resolve();
    return store.close();
  };
  return { clock, store, remember, search, [Symbol.asyncDispose]: close };
}

test("the first search waits until a model can be loaded, and then says that no meaning is compared", async () => {
  await using kept = await openWith(() => false);
  await kept.remember("Bruno is my cat", "Fuchsias grow in the yard");
  for (const [query, note] of [
    ["pets", /^None of 2 entries .*; Meanings are not compared yet.* has still to read 2 of 2 entries/],
    ["Bruno", /^Meanings are not compared yet.* has still to read 2 of 2 entries; ask again in a while$/],
  ] as const) {
    let isDone = false;
    const searching = kept.search(query).finally(() => (isDone = true));
    await expect.poll(() => kept.clock.pending).toBeGreaterThan(0);
    await kept.clock.advance(2_000);
    expect(isDone).toBe(false);
    await kept.clock.advance(500);
    expect(await searching).toMatchObject({ by: "words", note: expect.stringMatching(note) });
  }
});

test("a search tells a few that are not compared from most of them", async () => {
  const isNew = (text: string) => text.startsWith("new");
  await using kept = await openWith((texts) => !texts.some(isNew));
  const numbered = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word} ${at}`);
  await kept.remember(...numbered("old", 160));
  await kept.store.memory.ready();
  expect((await kept.search("old")).note).toBeUndefined();
  await kept.remember(...numbered("new", 80));
  const few = await kept.search("old");
  expect(few).toMatchObject({
    by: "words and meaning",
    note: "Not compared by meaning yet, only by words: 80 of 240 entries",
  });
  await kept.remember(...numbered("new", 1_000));
  expect((await kept.search("old")).note).toBe(
    "Most entries are not compared by meaning yet, only by words (1,080 of 1,240): ask again in a while",
  );
});

test("a search says what the model failed at where only words were compared", async () => {
  await using kept = await openWith((texts) => !texts.includes("Bruno"));
  await kept.remember("Bruno is my cat");
  await kept.store.memory.ready();
  const searching = kept.search("Bruno");
  await expect.poll(() => kept.clock.pending).toBeGreaterThan(0);
  await kept.clock.advance(2_000);
  expect(await searching).toMatchObject({
    by: "words",
    hits: [{ match: "full-text" }],
    note: "Meanings are not compared now, only words: the sentence model failed: it gave no vector of the query within 2 seconds",
  });
});

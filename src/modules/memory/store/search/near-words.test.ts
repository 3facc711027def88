import { expect, test } from "vitest";
import { openStore } from "../../../../app/store/open-store.ts";
import type { Embedder } from "../../../../search/index.ts";

const author = { by: "agent:test" };
const teeth = ["dentist", "tooth", "teeth"];

/** Texts mean nothing to it; words about teeth mean the same. */
const embedder: Embedder = {
  id: "teeth",
  embed: (texts) => Promise.resolve(texts.map(() => Float32Array.of(0, 0, 1))),
  embedWords: (words) =>
    Promise.resolve(
      words.map((word) => (teeth.includes(word) ? Float32Array.of(1, 0, 0) : new Float32Array(3))),
    ),
};

async function openWith(texts: readonly string[], model: Embedder = embedder) {
  const faults: unknown[] = [];
  const store = await openStore({
    path: ":memory:",
    embedder: () => Promise.resolve(model),
    onMemoryFault: (fault) => faults.push(fault),
  });
  const remember = async (some: readonly string[]) => {
    await store.memory.edit(
      "ada",
      some.map((text) => ({ do: "create_block" as const, entry: { kind: "memory", text } })),
      author,
    );
    await store.memory.ready();
  };
  await remember(texts);
  const find = async (query: string, mode: "auto" | "words" = "auto") =>
    (await store.memory.search("ada", { query, mode, limit: 2 })).hits.map(({ entry }) => entry.text);
  return { store, faults, remember, find, [Symbol.asyncDispose]: () => store.close() };
}

const others = ["The tax is due in May", "Grace plays the cello", "The boat lies in the harbour"];

test("a question finds what says the same in another word", async () => {
  await using kept = await openWith([...others, "A tooth was pulled on Monday"]);
  expect((await kept.find("Which dentist?"))[0]).toBe("A tooth was pulled on Monday");
  expect(await kept.find("Which dentist?", "words")).toEqual([]);
});

test("the word itself counts more than one that is near it", async () => {
  await using kept = await openWith([
    ...others,
    "A tooth was pulled on Monday",
    "The dentist is away in June",
  ]);
  expect(await kept.find("dentist")).toEqual(["The dentist is away in June", "A tooth was pulled on Monday"]);
});

test("what is remembered later is found by a near word too", async () => {
  await using kept = await openWith(others);
  expect((await kept.find("dentist"))[0]).not.toContain("tooth");
  await kept.remember(["A tooth was pulled on Monday"]);
  expect((await kept.find("dentist"))[0]).toBe("A tooth was pulled on Monday");
});

test("words whose vectors fail are looked for by themselves, and the fault is told once", async () => {
  const failing: Embedder = { ...embedder, embedWords: () => Promise.reject(new Error("no table")) };
  await using kept = await openWith([...others, "A tooth was pulled on Monday"], failing);
  expect((await kept.find("a tooth"))[0]).toBe("A tooth was pulled on Monday");
  await kept.find("the tax");
  expect(kept.faults.map(String).filter((fault) => fault.includes("no table"))).toHaveLength(1);
});

import { describe, expect, test } from "vitest";
import { openStore } from "../../../../app/store/index.ts";
import type { NewMemoryEntry } from "../memory-entry.ts";
import type { MemorySearch } from "../memory-store.ts";
import { isRelevant, likenessAmong, WordShares } from "./relevance.ts";

const day = 86_400_000;
const now = Date.UTC(2026, 4, 20, 12);

const texts = [
  "The user's dentist is Dr. Lindqvist",
  "The user is allergic to peanuts",
  "The user's sister lives in Rotterdam",
  "The user keeps two cats",
  "The user wants short answers",
];

async function openMemory(entries: readonly NewMemoryEntry[]) {
  const store = await openStore({ path: ":memory:" });
  await store.memory.edit(
    "local",
    entries.map((entry) => ({ do: "create_block", entry })),
    { by: "owner:ada" },
  );
  const find = async (query: string, more: Partial<MemorySearch> = {}) => {
    const found = await store.memory.search("local", { query, now, onlyRelevant: true, ...more });
    return { ...found, texts: found.hits.map(({ entry }) => entry.text) };
  };
  return { find, [Symbol.asyncDispose]: () => store.close() };
}

const memory = (text: string): NewMemoryEntry => ({ kind: "memory", text });

describe("a search for what is relevant alone", () => {
  test("shows what has a rare word of the query, and nothing that shares only a common one", async () => {
    await using place = await openMemory(texts.map(memory));
    expect((await place.find("Who is the user's dentist?")).texts).toEqual([texts[0]]);
    const unrelated = await place.find("Which printer toner cartridge does the user need?");
    expect(unrelated).toMatchObject({ texts: [], total: 0, leftOut: 5 });
    expect(unrelated.note).toBe(
      "None of 5 entries is likely about this; 5 have a common word of the query or a loose likeness to it, and are left out",
    );
    expect(
      (await place.find("Which printer toner cartridge does the user need?", { onlyRelevant: false })).total,
    ).toBe(5);
  });

  test("finds the only thing that is remembered, though no word of it is rare", async () => {
    await using place = await openMemory([memory("Ada likes green tea")]);
    for (const query of ["tea", "what does Ada like", "Does Ada drink tea or coffee?"])
      expect((await place.find(query)).texts).toEqual(["Ada likes green tea"]);
    expect((await place.find("mortgage interest rates in Portugal")).texts).toEqual([]);
  });

  test("keeps what is said of the same person, where a question has no other word of it", async () => {
    const ofAda = [
      "Ada is vegetarian and allergic to nuts",
      "Ada's sister lives in Bergen",
      "Ada has a boat",
    ];
    await using place = await openMemory([...ofAda, "The key is in the vault", ...texts].map(memory));
    expect((await place.find("What does Ada eat?")).texts.toSorted()).toEqual(ofAda.toSorted());
  });

  test("leaves a name, a stretch of characters and a time phrase as good reasons as they are", async () => {
    await using place = await openMemory([
      { kind: "block", label: "garden", text: "Roses" },
      { kind: "memory", text: "Part no. X9-77/b", at: now - day },
      ...texts.map(memory),
    ]);
    expect((await place.find("garden")).texts).toEqual(["Roses"]);
    expect((await place.find("9-77/b")).texts).toEqual(["Part no. X9-77/b"]);
    const yesterday = await place.find("which number did I order yesterday, and part what");
    expect(yesterday.texts).toEqual(["Part no. X9-77/b"]);
  });
});

test("a word counts by how few entries have it, and the three rarest of a long query are enough", () => {
  const shares = new WordShares(100, [1, 2, 0, 90, 95, 80, 70]);
  shares.add(1, new Map([[7, 1]]));
  shares.add(2, new Map([[7, 3]]));
  shares.add(90, new Map([[8, 1]]));
  expect(shares.of(7)).toBeGreaterThan(0.5);
  expect(shares.of(8)).toBeLessThan(0.1);
  expect(shares.of(9)).toBe(0);
});

test("what words leave open meaning may fill, by the model's own figures or by what stands out", () => {
  const likeness = { unrelated: 0.2, related: 0.45 };
  const judged = (share: number, cosine?: number, bestShare = share) =>
    isRelevant({ share, bestShare, cosine, likeness });
  expect([judged(0, 0.46), judged(0, 0.44), judged(0.2, 0.35)]).toEqual([true, false, true]);
  expect([judged(0.3), judged(0.3, 0.1)]).toEqual([true, false]);
  expect([judged(0.32, undefined, 1), judged(0.34, undefined, 1)]).toEqual([false, true]);
  const among = likenessAmong([...Array.from({ length: 30 }, (_, at) => 0.7 + (at % 3) / 100), 0.9]);
  expect(isRelevant({ share: 0, bestShare: 0, cosine: 0.9, likeness: among })).toBe(true);
  expect(isRelevant({ share: 0, bestShare: 0, cosine: 0.72, likeness: among })).toBe(false);
  expect(likenessAmong([0.7, 0.9])).toBeUndefined();
});

import { expect, test } from "vitest";
import { openStore } from "../../../../app/store/index.ts";
import type { MemoryEntry, NewMemoryEntry } from "../memory-entry.ts";
import type { MemorySearch } from "../memory-store.ts";
import { searchKept } from "./search-kept.ts";

const now = Date.UTC(2026, 5, 15, 12);
const day = 86_400_000;

const turn = (text: string, at: number): NewMemoryEntry => ({
  kind: "message",
  text,
  at,
  place: { session: "chat", speaker: "Ada" },
});

const entries: readonly NewMemoryEntry[] = [
  { kind: "block", label: "persona", text: "A careful gardener" },
  { kind: "note", text: "Wears the red scarf", names: ["Montgomery", "Monty"] },
  { kind: "note", text: "The harbour opens at dawn", tags: ["boats"], title: "Lisbon" },
  { kind: "note", text: "The harbour master is called Inês and knows every boat of the harbour" },
  { kind: "note", text: "東京の天気", pinned: true },
  turn("Where did we moor the schooner?", now - 40 * day),
  turn("At the long pier.", now - 40 * day),
  turn("The schooner sails again", now - day),
  turn("Bring the schooner's papers", now),
];

const searches: readonly MemorySearch[] = [
  { query: "harbour" },
  { query: "harbour", kinds: ["message"] },
  { query: "harbour", offset: 5 },
  { query: "boats in Lisbon" },
  { query: "what does Montgomery wear" },
  { query: "what does Montgomrey wear", mode: "names" },
  { query: "persona", mode: "names" },
  { query: "nobody", mode: "names" },
  { query: "harbour", mode: "words" },
  { query: "schooner" },
  { query: "schooner", order: "recent" },
  { query: "schooner yesterday" },
  { query: "schooner yesterday", timePhrases: false },
  { query: "When did the schooner sail?" },
  { query: "schooner", window: 1 },
  { query: "東京", pinned: true },
  { query: "" },
  { query: "boats in Lisbon", onlyRelevant: true },
  { query: "harbour rent insurance premium", onlyRelevant: true },
  { query: "schooner yesterday", onlyRelevant: true },
];

test("searchKept() finds what a store that has its own index finds", async () => {
  await using store = await openStore({ path: ":memory:" });
  const made = await store.memory.edit(
    "local",
    entries.map((entry) => ({ do: "create_block", entry })),
    { by: "owner:ada" },
  );
  const kept = made.map((entry, seq) => ({
    seq,
    entry,
    shares: [],
    version: 1,
    newest: 1,
    past: [],
    future: [],
  }));
  const readText = ({ text }: MemoryEntry) => text;
  for (const search of searches) {
    const asked: MemorySearch = { hops: 0, now, ...search };
    const [expected, actual] = [
      await store.memory.search("local", asked),
      await searchKept("local", kept, asked, Date.now()),
    ].map(({ hits, ...rest }) => ({
      ...rest,
      hits: hits.map(({ entry, before, after, match, score }) => ({
        text: entry.text,
        match,
        score: score.toFixed(6),
        beside: [before.map(readText), after.map(readText)],
      })),
    }));
    expect([search, actual]).toEqual([search, expected]);
  }
});

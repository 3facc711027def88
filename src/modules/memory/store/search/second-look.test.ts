import { expect, test } from "vitest";
import { openStore } from "../../../../app/store/open-store.ts";
import type { NewMemoryEntry } from "../memory-entry.ts";

async function textsFound(entries: readonly NewMemoryEntry[], query: string, hops: number) {
  await using store = await openStore({ path: ":memory:" });
  await store.memory.edit(
    "ada",
    entries.map((entry) => ({ do: "create_block", entry })),
    { by: "test" },
  );
  const { hits } = await store.memory.search("ada", { query, hops });
  return hits.map(({ entry, score }) => {
    expect(score).toBeLessThanOrEqual(1);
    return entry.text;
  });
}

const turn = (text: string, session: string): NewMemoryEntry => ({
  kind: "message",
  text,
  place: { session },
});

test("a turn that says what the best one speaks of comes before one that has as many words of the query", async () => {
  const turns = [
    turn("My puppy is called Rex", "monday"),
    turn("Rex ate the sofa", "friday"),
    turn("The sofa has arrived", "sunday"),
  ];
  const [puppy, rex, sofa] = turns.map(({ text }) => text);
  expect(await textsFound(turns, "puppy sofa", 0)).toEqual([puppy, sofa, rex]);
  expect(await textsFound(turns, "puppy sofa", 1)).toEqual([puppy, rex, sofa]);
});

test("a session that has more of what was asked for comes before one that has less", async () => {
  const turns = [
    turn("A harbour", "monday"),
    turn("Nothing else", "monday"),
    turn("Nothing more", "monday"),
    turn("The harbour of Genoa", "monday"),
    turn("A harbour too", "sunday"),
  ];
  expect((await textsFound(turns, "harbour", 0))[0]).toBe("A harbour too");
  const found = await textsFound(turns, "harbour", 1);
  expect(found.slice(1, 3)).toEqual(["The harbour of Genoa", "A harbour"]);
});

test("an entry that has a word as it was asked for comes before one with another form of it", async () => {
  const entries = ["She likes musicals", "She likes musical clocks"].map((text) => ({
    kind: "memory",
    text,
  }));
  for (const some of [entries, entries.toReversed()])
    expect((await textsFound(some, "Who likes musicals?", 1))[0]).toBe("She likes musicals");
});

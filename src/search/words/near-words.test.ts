import { expect, test } from "vitest";
import { NearWords } from "./near-words.ts";

const split = (text: string) =>
  (text.toLowerCase().match(/\p{L}+/gu) ?? [])
    .filter((word) => word !== "the")
    .map((word) => word.replace(/s$/, ""));

/** Words by where they point in a plane, in degrees; others point nowhere. */
function makeNearWords(angles: Readonly<Record<string, number>>) {
  const embed = async (words: readonly string[]) =>
    words.map((word) => {
      const angle = ((angles[word] ?? Number.NaN) * Math.PI) / 180;
      return Number.isNaN(angle) ? new Float32Array(2) : Float32Array.of(Math.cos(angle), Math.sin(angle));
    });
  return new NearWords({ embed, split });
}

test("find() gives the words of the index that are near those of a question, by the one they are nearest to", async () => {
  const near = makeNearWords({ dogs: 0, pets: 30, puppy: 5, hound: 25, dog: 0, tax: 120 });
  await near.add(() => ["puppy", "hound", "dog", "tax", "unknown"]);
  const found = await near.find("The dogs, and the pets?", new Set(["dog", "pet"]));
  expect(
    found.map(({ word, of }) => [word, of]).sort(([one = ""], [other = ""]) => one.localeCompare(other)),
  ).toEqual([
    ["hound", "pet"],
    ["puppy", "dog"],
  ]);
  for (const { weight } of found) {
    expect(weight).toBeLessThan(0.6);
    expect(weight).toBeGreaterThan(0.5);
  }
});

test("find() gives nothing for words of one or two letters, and no more than sixteen words", async () => {
  const names = Array.from(
    { length: 40 },
    (_, at) => `word${"abcdefghijklmnopqrstuvwxyz".repeat(2)[at]}${at}`,
  );
  const near = makeNearWords(
    Object.fromEntries([["ab", 0], ["one", 0], ["two", 0], ...names.map((name, at) => [name, at])]),
  );
  await near.add(() => names);
  expect(await near.find("ab", new Set())).toEqual([]);
  expect((await near.find("one two", new Set())).length).toBeLessThanOrEqual(16);
  expect((await near.find("one", new Set()))[0]?.word).toBe(names[0]);
});

test("nothing is near as long as vectors can't be made, and what was not added then is added later", async () => {
  let works = false;
  const near = new NearWords({
    split,
    embed: async (words) => (works ? words.map(() => Float32Array.of(1, 0)) : undefined),
  });
  expect(await near.add(() => ["puppy"])).toBe(false);
  expect(await near.find("dog", new Set())).toEqual([]);
  expect(await near.add(() => Promise.reject(new Error("read in vain")))).toBe(false);
  works = true;
  expect(await near.add(() => ["puppy"])).toBe(true);
  expect(await near.find("dog", new Set())).toMatchObject([{ word: "puppy", of: "dog" }]);
});

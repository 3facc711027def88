import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The first word of each doc comment, with its line. */
const openings = /\/\*\*[\s*]*([A-Za-z]+)/g;
const prepositions = new Set("Of As By After In With To From For".split(" "));

test("a doc comment begins with the thing or with a verb, not with a bare preposition", () => {
  const bare = globSync("src/**/*.ts").flatMap((path) => {
    const text = readFileSync(path, "utf8");
    return [...text.matchAll(openings)]
      .filter(([, word = ""]) => prepositions.has(word))
      .map(({ index }) => `${path}:${text.slice(0, index).split("\n").length}`);
  });
  expect(bare).toEqual([]);
});

import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The first word of each doc comment, with its line. */
const openings = /\/\*\*[\s*]*([A-Za-z]+)/g;
const bareWords = new Set("Of As By After In With To From For Where Whose".split(" "));

test("a doc comment begins with the thing or with a verb, not with a bare preposition, Where or Whose", () => {
  const bare = globSync(["src/**/*.ts", "console/src/**/*.{ts,tsx}"]).flatMap((path) => {
    const text = readFileSync(path, "utf8");
    return [...text.matchAll(openings)]
      .filter(([, word = ""]) => bareWords.has(word))
      .map(({ index }) => `${path}:${text.slice(0, index).split("\n").length}`);
  });
  expect(bare).toEqual([]);
});

/** A declared function, or a constant that is one, whose name ends in "Of". */
const declared =
  /(?:function\*?|^\s+(?:async |readonly |get )*#?)\s*\b([a-z]\w*Of)\(.*[{,(]$|(?:const|let) ([a-z]\w*Of) = (?:async )?\(/gm;
/** Keywords of JSON Schema. */
const keywords = ["AllOf", "AnyOf", "OneOf", "multipleOf"];

test('a function is named by a verb for what it does, not by "Of"', () => {
  const named = globSync(
    ["src/**/*.ts", "console/src/**/*.{ts,tsx}", "test/**/*.ts", "bench/**/*.ts", "scripts/*.ts"],
    {
      exclude: (path) => path.endsWith("node_modules"),
    },
  ).flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(declared)]
      .map(([, one, other]) => one ?? other ?? "")
      .filter((name) => !keywords.some((keyword) => name.endsWith(keyword)))
      .map((name) => `${path}: ${name}`),
  );
  expect(named).toEqual([]);
});

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hasInvisible, showInvisible, splitInvisible } from "./visible-text.ts";

/** Texts as they are, and as the terminal and the console show them. */
const corpus = JSON.parse(readFileSync("test/corpora/invisible.json", "utf8")) as readonly {
  readonly text: string;
  readonly terminal: string;
}[];

test.each(corpus)("showInvisible() writes $text as a terminal shows it", ({ text, terminal }) => {
  expect(showInvisible(text)).toBe(terminal);
  expect(hasInvisible(text)).toBe(text !== terminal);
});

test("splitInvisible() parts text at what would not be seen, and leaves nothing out", () => {
  expect(splitInvisible("a\u202e\u200bb")).toEqual([
    { text: "a", hidden: false },
    { text: "\u202e\u200b", hidden: true },
    { text: "b", hidden: false },
  ]);
  expect(splitInvisible("")).toEqual([]);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const parts = splitInvisible(text);
      expect(parts.map((part) => part.text).join("")).toBe(text);
      expect(parts.every((part) => hasInvisible(part.text) === part.hidden)).toBe(true);
    }),
  );
});

import { expect, test } from "vitest";
import { firstSentence } from "./first-sentence.ts";

test.for([
  ["Read a file. Long ones come in windows.", "Read a file."],
  ["Read a file", "Read a file"],
  ["\n  Read\n a file\n\nThe rest.", "Read a file"],
  [
    "Fetch a page, e.g. https://example.com, as text. Then stop.",
    "Fetch a page, e.g. https://example.com, as text.",
  ],
  ["Runs v1.2 of it! Really.", "Runs v1.2 of it!"],
  ["读取文件。返回文本。", "读取文件。"],
  ["", ""],
])("firstSentence() of %j", ([description, sentence]) => {
  expect(firstSentence(description as string)).toBe(sentence);
});

test("firstSentence() is cut where it is long, and says so", () => {
  expect(firstSentence("word ".repeat(100), 20)).toBe("word word word word…");
  expect(firstSentence(`${"x".repeat(159)}. More.`)).toBe(`${"x".repeat(159)}.`);
});

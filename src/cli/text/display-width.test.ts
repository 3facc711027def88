import { expect, test } from "vitest";
import { displayWidth, fitWidth, wrapText } from "./display-width.ts";

test.for([
  ["plain", 5],
  ["", 0],
  ["日本", 4],
  ["e\u0301", 1],
  ["👩‍👩‍👧", 2],
  ["a\u200bb", 2],
  ["ﾊﾝ", 2],
] as const)("displayWidth(%j) is %i columns", ([text, width]) => {
  expect(displayWidth(text)).toBe(width);
});

test("fitWidth() leaves what fits and cuts the rest by columns, not by characters", () => {
  expect(fitWidth("abcdef", 6)).toBe("abcdef");
  expect(fitWidth("abcdef", 4)).toBe("abc…");
  expect(fitWidth("日本語です", 5)).toBe("日本…");
  expect(fitWidth("one two", 5)).toBe("one…");
});

test("wrapText() breaks at spaces, keeps line breaks and never cuts a word", () => {
  expect(wrapText("one two three\n\nincomprehensibilities", 8)).toEqual([
    "one two",
    "three",
    "",
    "incomprehensibilities",
  ]);
  expect(wrapText("  | two  spaces", 20)).toEqual(["  | two  spaces"]);
  expect(wrapText("  indented line", 12)).toEqual(["  indented", "line"]);
});

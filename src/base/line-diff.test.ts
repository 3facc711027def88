import { expect, test } from "vitest";
import { diffLines } from "./line-diff.ts";

function diff(before: string, after: string): string {
  return diffLines(before.split(""), after.split(""))
    .map(({ kind, text }) => kind.trim() + text)
    .join(" ");
}

test.for([
  ["abc", "abc", "a b c"],
  ["abc", "abxc", "a b +x c"],
  ["abc", "ac", "a -b c"],
  ["abcd", "axcy", "a -b +x c -d +y"],
  ["aab", "ab", "a -a b"],
  ["ab", "cd", "-a -b +c +d"],
] as const)("diffLines(%s, %s) is %s", ([before, after, expected]) => {
  expect(diff(before, after)).toBe(expected);
});

test("diffLines() gives both texts back, however long they are", () => {
  const before = Array.from({ length: 5000 }, (_, at) => `line ${at % 7}`);
  const after = Array.from({ length: 5000 }, (_, at) => `line ${at % 5}`);
  const lines = diffLines(before, after);
  const side = (left: string) => lines.filter(({ kind }) => kind !== left).map(({ text }) => text);
  expect([side("+"), side("-")]).toEqual([before, after]);
});

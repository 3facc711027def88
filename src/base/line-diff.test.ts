import fc from "fast-check";
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

test("diffLines() changes as few lines as can be", () => {
  const texts = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const changed = diffLines(before, after).filter(({ kind }) => kind !== " ").length;
      expect(changed).toBe(before.length + after.length - 2 * countCommon(before, after));
    }),
  );
});

test("diffLines() finds two changes that are far apart", () => {
  const before = Array.from({ length: 20_000 }, (_, at) => `line ${at}`);
  const after = before.with(1, "second").with(-2, "last but one");
  expect(diffLines(before, after).filter(({ kind }) => kind !== " ")).toHaveLength(4);
});

/** The length of the longest common subsequence. */
function countCommon([left, ...before]: readonly string[], after: readonly string[]): number {
  if (left === undefined) return 0;
  const found = after.indexOf(left);
  const without = countCommon(before, after);
  return found < 0 ? without : Math.max(without, 1 + countCommon(before, after.slice(found + 1)));
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutHead, cutTail, editDistance, formatBytes, nearestNames, oneLine } from "./text.ts";

describe("cutHead() and cutTail()", () => {
  test("cut at the length they are given, and never inside a pair", () => {
    const text = "a😀b😀";
    expect([0, 1, 2, 3, 4, 5, 6, 9].map((length) => cutHead(text, length))).toEqual([
      "",
      "a",
      "a",
      "a😀",
      "a😀b",
      "a😀b",
      text,
      text,
    ]);
    expect([0, 1, 2, 3, 4, 5, 6, 9].map((length) => cutTail(text, length))).toEqual([
      "",
      "",
      "😀",
      "b😀",
      "b😀",
      "😀b😀",
      text,
      text,
    ]);
  });

  test("keep well-formed text well formed, and the most of it that fits", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", "é", "😀", "👨‍👩‍👧") }),
        fc.nat(30),
        (text, length) => {
          for (const cut of [cutHead(text, length), cutTail(text, length)]) {
            expect(cut.isWellFormed()).toBe(true);
            expect(cut.length).toBeLessThanOrEqual(length);
            expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, length - 1));
          }
          expect(text.startsWith(cutHead(text, length))).toBe(true);
          expect(text.endsWith(cutTail(text, length))).toBe(true);
        },
      ),
    );
  });
});

describe("nearestNames()", () => {
  const names = ["read_file", "write_file", "grep_files", "list_files", "bash", "ls"];

  test.each([
    ["read_fil", ["read_file"]],
    ["READ_FILE", ["read_file", "grep_files", "write_file"]],
    ["file", ["read_file", "grep_files", "list_files"]],
    ["wirte_file", ["write_file", "list_files"]],
    ["bsh", ["bash"]],
    ["l", []],
    ["telegram_send", []],
    ["", []],
  ])("for %j are %j", (word, expected) => {
    expect(nearestNames(word, names)).toEqual(expected);
  });

  test("come with the nearest first, by name where two are as near, and at most as many as asked for", () => {
    expect(nearestNames("cat", ["hat", "bat", "cart", "cat"])).toEqual(["cat", "cart", "bat"]);
    expect(nearestNames("cat", ["hat", "bat", "cart", "cat"], 1)).toEqual(["cat"]);
  });

  test("are found for a word of any length", () => {
    expect(nearestNames("x".repeat(1_000_000), ["x".repeat(64)])).toEqual(["x".repeat(64)]);
  });
});

test("editDistance() is the fewest letters to insert, delete or replace", () => {
  expect(editDistance("kitten", "sitting")).toBe(3);
  expect(editDistance("", "abc")).toBe(3);
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      expect(editDistance(a, b)).toBe(editDistance(b, a));
      expect(editDistance(a, b) === 0).toBe(a === b);
      expect(editDistance(a, c)).toBeLessThanOrEqual(editDistance(a, b) + editDistance(b, c));
      expect(editDistance(a, a + b)).toBe(b.length);
    }),
  );
});

test("formatBytes() shows a size with two or three digits", () => {
  const shown = [0, 999, 1_000, 1_449, 9_949, 9_960, 999_499, 999_500, 5e9, 2e12, 3e15].map(formatBytes);
  expect(shown).toEqual([
    "0 B",
    "999 B",
    "1.0 kB",
    "1.4 kB",
    "9.9 kB",
    "10 kB",
    "999 kB",
    "1.0 MB",
    "5.0 GB",
    "2.0 TB",
    "3000 TB",
  ]);
});

test("oneLine() makes one space of all white space between words", () => {
  expect(oneLine(" a \n\t b\u00a0c\r\n")).toBe("a b c");
});

import { expect, test } from "vitest";
import { formatSpan, parseSpan } from "./span.ts";

test.each([
  ["90s", 90_000],
  ["30m", 1_800_000],
  ["1.5h", 5_400_000],
  ["7d", 604_800_000],
  ["1w", 604_800_000],
])("parseSpan() reads %s", (text, ms) => {
  expect(parseSpan(text)).toBe(ms);
});

test.each(["", "0s", "1", "h", "-1h", "1h30m", "1e9d", "9999999d", "1 h", "Infinityh"])(
  "parseSpan() refuses %j",
  (text) => {
    expect(() => parseSpan(text)).toThrow("give one such as 30m, 2h or 7d");
  },
);

test.each([
  [-5, "0 s"],
  [89_000, "89 s"],
  [90_000, "2 min"],
  [3_600_000, "60 min"],
  [7_200_000, "2 h"],
  [30 * 86_400_000, "30 days"],
])("formatSpan() says %i ms as %s", (ms, text) => {
  expect(formatSpan(ms)).toBe(text);
});

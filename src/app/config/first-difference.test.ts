import { expect, test } from "vitest";
import { firstDifference } from "./first-difference.ts";

test.for([
  ["hello", "hallo", { recorded: "hello", now: "hallo", at: 1 }],
  ["hello", "hello you", { recorded: "hello", now: "hello you", at: 5 }],
  ["hello you", "hello", { recorded: "hello you", now: "hello", at: 5 }],
  ["same", "same", { recorded: "same", now: "same" }],
  ["begins … (100 more characters)", "begins as it did", { recorded: "begins …", now: "begins as it did" }],
  ["begins … (100 more characters)", "began", { recorded: "begins …", now: "began", at: 3 }],
] as const)("firstDifference() of %j and %j", ([kept, now, expected]) => {
  expect(firstDifference(kept, now)).toEqual(expected);
});

test("firstDifference() shows what is around it of long texts", () => {
  const before = "b".repeat(1000);
  const after = "a".repeat(1000);
  expect(firstDifference(`${before}X${after}`, `${before}Y${after}`)).toEqual({
    recorded: `… ${"b".repeat(40)}X${"a".repeat(119)} …`,
    now: `… ${"b".repeat(40)}Y${"a".repeat(119)} …`,
    at: 1000,
  });
});

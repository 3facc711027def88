import { expect, test } from "vitest";
import { number, resulted } from "../../../test/fixtures/agent/entries.ts";
import { isTrivial } from "./is-trivial.ts";

const calls = (count: number) =>
  number(...Array.from({ length: count }, (_, at) => resulted(`r.1.${at + 1}`)));

test("a task is trivial with at most one step, one call and a result of less than 200 characters", () => {
  expect(isTrivial({ steps: 1, result: "x".repeat(199) }, calls(1))).toBe(true);
  expect(isTrivial({ steps: 0, result: undefined }, [])).toBe(true);
  expect(isTrivial({ steps: 2, result: "Done." }, calls(1))).toBe(false);
  expect(isTrivial({ steps: 1, result: "Done." }, calls(2))).toBe(false);
  expect(isTrivial({ steps: 1, result: "x".repeat(200) }, calls(1))).toBe(false);
});

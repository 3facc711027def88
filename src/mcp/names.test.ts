import fc from "fast-check";
import { expect, test } from "vitest";
import { toAlias } from "./names.ts";

test("toAlias() joins the two names where that is clear", () => {
  expect(toAlias("github", "create_issue")).toBe("github__create_issue");
});

test("toAlias() ends a name that is too long in a hash, within 64 characters", () => {
  const alias = toAlias(
    "a-server-with-a-long-name",
    "a_tool_with_a_name_that_goes_on_and_on_and_on_for_ever",
  );
  expect(alias).toMatch(/^a-server-with-a-long-name__a_tool_with_a_name_that_go.*_[0-9a-f]{10}$/);
  expect(alias).toHaveLength(64);
});

test("toAlias() tells apart what a plain join would not", () => {
  const pairs = [
    ["a__b", "c"],
    ["a", "b__c"],
    ["a_", "b"],
    ["a", "_b"],
    ["a.b", "c"],
    ["a:b", "c"],
    ["a", "b.c"],
    ["ä", "c"],
    ["", "c"],
  ] as const;
  const aliases = pairs.map(([server, tool]) => toAlias(server, tool));
  expect(new Set(aliases).size).toBe(pairs.length);
});

test("toAlias() gives every pair a name of its own that every model API takes", () => {
  fc.assert(
    fc.property(fc.tuple(fc.string(), fc.string()), fc.tuple(fc.string(), fc.string()), (one, other) => {
      const alias = toAlias(...one);
      expect(alias).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      if (one[0] !== other[0] || one[1] !== other[1]) expect(toAlias(...other)).not.toBe(alias);
    }),
  );
});

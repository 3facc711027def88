import { expect, test } from "vitest";
import { cutSharedEnd, linesBeyond } from "./lines.ts";

test.for([
  ["a\nb\n", "b\r\na", []],
  ["a\na\nb", "a", ["a", "b"]],
  ["", "a", []],
  ["one\n\n[stderr]\ntwo", "two\none\n", ["[stderr]"]],
] as const)("linesBeyond(%j, %j) is %j", ([text, other, expected]) => {
  expect(linesBeyond(text, other)).toEqual(expected);
});

test.for([
  ["a\nb\nc\n", "said:\nb\n[stderr]\nc", "a"],
  ["a\nb\n", "b\na", ""],
  ["a\na\n", "a", "a"],
  ["a\n\n", "b", "a\n\n"],
  ["one\r\ntwo\r\n", "two", "one"],
  ["", "a", ""],
] as const)("cutSharedEnd(%j, %j) is %j", ([text, other, expected]) => {
  expect(cutSharedEnd(text, other)).toBe(expected);
});

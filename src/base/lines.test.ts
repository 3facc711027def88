import { expect, test } from "vitest";
import { linesBeyond } from "./lines.ts";

test.for([
  ["a\nb\n", "b\r\na", []],
  ["a\na\nb", "a", ["a", "b"]],
  ["", "a", []],
  ["one\n\n[stderr]\ntwo", "two\none\n", ["[stderr]"]],
] as const)("linesBeyond(%j, %j) is %j", ([text, other, expected]) => {
  expect(linesBeyond(text, other)).toEqual(expected);
});

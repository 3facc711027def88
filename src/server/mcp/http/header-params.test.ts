import { expect, test } from "vitest";
import { decodeHeader, readRepeatedValue } from "./header-params.ts";

test.for([
  ["us-west1", "us-west1"],
  ["=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界"],
  ["=?base64?IHBhZGRlZCA=?=", " padded "],
  ["=?base64?bGluZTEKbGluZTI=?=", "line1\nline2"],
  ["=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?="],
  ["=?base64?SGVsbG8", "=?base64?SGVsbG8"],
  ["=?base64?SGVsbG8?=", undefined],
  ["=?base64?SGVs!!!bG8=?=", undefined],
  ["caf\u00e9", undefined],
  ["a\u0000b", undefined],
] as const)("decodeHeader() reads %j as %j", ([value, text]) => {
  expect(decodeHeader(value)).toBe(text);
});

test("readRepeatedValue() finds the argument at a path, and nothing that is not one of the caller's own", () => {
  const args = { a: { b: 1 }, flag: false, none: null, list: [1] };
  expect(readRepeatedValue(args, ["a", "b"])).toBe(1);
  expect(readRepeatedValue(args, ["flag"])).toBe(false);
  for (const path of [["a"], ["none"], ["list"], ["a", "c"], ["a", "b", "c"], ["constructor", "name"]]) {
    expect(readRepeatedValue(args, path)).toBeUndefined();
  }
});

import { describe, expect, test } from "vitest";
import type { Validation } from "../kernel/index.ts";
import { compileJsonSchema } from "./compile.ts";
import { SchemaError } from "./errors.ts";
import { compilePattern } from "./pattern.ts";

const evil: readonly (readonly [pattern: string, pump: string, count: number, tail: string])[] = [
  ["(a+)+$", "a", 28, "!"],
  ["(a|aa)+$", "a", 40, "!"],
  ["(.*a){12}$", "a", 24, "!"],
  ["(x+x+)+y", "x", 28, ""],
  ["(?:\\s*,\\s*)+$", " ", 30, "x"],
  ["\\s+$", " ", 50_000, "x"],
  ["(\\d+)*\\.$", "1", 28, "x"],
  ["<!--(?:[^-]|-[^-])*-->", "<!--", 20_000, ""],
  ["(a*)*b", "a", 28, ""],
  ["((a{1,10}){1,10}){1,10}$", "a", 28, "!"],
];

describe("hostile patterns", () => {
  test.each(evil)(
    "compileJsonSchema() checks %s in time linear in the text",
    (pattern, pump, count, tail) => {
      const text = pump.repeat(count) + tail;
      const asValue = compileJsonSchema({ type: "string", pattern })(text) as Validation;
      const asKey = compileJsonSchema({ patternProperties: { [pattern]: false } })({
        [text]: 1,
      }) as Validation;
      expect([asValue.valid, asKey.valid]).toEqual([false, true]);
    },
  );

  test.each([
    "^(?=a)b",
    "^(?!a)b",
    "(?<=a)b",
    "(?<!a)b",
    "(a)\\1",
    "(?<n>a)\\k<n>",
    "a**",
    "(",
    "[z-a]",
    "a".repeat(5_001),
  ])("compileJsonSchema() refuses the pattern %s", (pattern) => {
    for (const schema of [{ properties: { a: { pattern } } }, { patternProperties: { [pattern]: {} } }]) {
      expect(() => compileJsonSchema(schema)).toThrow(SchemaError);
      expect(() => compileJsonSchema(schema)).toThrow(
        /^Cannot compile the pattern ".*; patterns run in linear time/,
      );
    }
  });

  test("compileJsonSchema() refuses a pattern whose program would be huge", () => {
    for (const pattern of ["((a{1,100}){1,100}){1,100}", "a{1,100000}", "(ab){2000}"]) {
      expect(() => compileJsonSchema({ pattern })).toThrow(SchemaError);
    }
  });

  test.each([
    ["url", `http://${"a:".repeat(100_000)}`],
    ["email", `${"a.".repeat(100_000)}@`],
    ["uri", `http://${"%41".repeat(100_000)} `],
    ["hostname", `${"a-".repeat(100_000)}!`],
    ["uri-template", `${"{a}".repeat(100_000)}{`],
    ["json-pointer", `${"/a".repeat(100_000)}~`],
    ["ipv6", ":".repeat(200_000)],
    ["date-time", "1".repeat(200_000)],
  ])("compileJsonSchema() checks the format %s of a hostile text in time", (format, text) => {
    expect(compileJsonSchema({ type: "string", format })(text)).toMatchObject({ valid: false });
  });
});

describe("patterns", () => {
  test("compileJsonSchema() keeps two patterns of one schema apart", () => {
    const validate = compileJsonSchema({
      properties: { a: { pattern: "^x" }, b: { pattern: "^y" } },
      patternProperties: { "^z": false },
    });
    expect(validate({ a: "x", b: "y" })).toMatchObject({ valid: true });
    expect(validate({ a: "x", b: "x" })).toMatchObject({
      issues: [{ path: ["b"], message: "must match the pattern ^y" }],
    });
    expect(validate({ a: "y" })).toMatchObject({ valid: false });
    expect(validate({ z: 1 })).toMatchObject({ issues: [{ path: ["z"] }] });
  });

  test.each([
    ["^[\\w-.]+$", "a-b.c", "a b"],
    ["^\\/api\\/\\d+$", "/api/1", "/api/x"],
    ["^.{2,3}$", "😀😀", "😀"],
    ["^\\p{Letter}+$", "é", "1"],
    ["^\\p{Script=Greek}$", "λ", "l"],
    ["^\\u0041$", "A", "a"],
    ["^(?<year>\\d{4})$", "2026", "26"],
    ["^a{0,1500}$", "a".repeat(1_500), "a".repeat(1_501)],
    ["^[\\s\\S]{1,4096}$", "\n".repeat(4_096), "\n".repeat(4_097)],
    ["^a{1200}b$", `${"a".repeat(1_200)}b`, `${"a".repeat(1_199)}b`],
    ["^a{1001,}$", "a".repeat(5_000), "a".repeat(1_000)],
    ["b", "abc", "ac"],
  ])("compilePattern() reads %s as JavaScript does", (pattern, right, wrong) => {
    const linear = compilePattern(pattern);
    const native = new RegExp(pattern.replace("\\w-.", "\\w.\\-"), "u");
    expect([linear.test(right), linear.test(wrong)]).toEqual([true, false]);
    expect([native.test(right), native.test(wrong)]).toEqual([true, false]);
  });
});

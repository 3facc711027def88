import fc from "fast-check";
import { expect, test } from "vitest";
import { hidesSomething, isShownAsIs, shownSchema, shownText } from "./shown-schema.ts";

const property = (schema: object) => ({ type: "object", properties: { a: schema } });

test.for([
  ["a name", { type: "object", properties: { "a\u200b": {} } }],
  ["a default", property({ default: "\u202eevil" })],
  ["a value", property({ enum: ["a", "b\u{e0041}\u{e0042}"] })],
  ["a constant", property({ const: { deep: ["\u001b[8m"] } })],
  ["a pattern", property({ pattern: "^a\u2060$" })],
  ["a keyword of its own", property({ "x-note": "a\u00ad" })],
] as const)("hidesSomething() finds what %s hides", ([, schema]) => {
  expect(hidesSomething(shownSchema(schema))).toBe(true);
});

test.for([
  [
    "texts, which are written out",
    property({ title: "a\u200b", description: "\u202eevil", $comment: "\u001b" }),
  ],
  ["emoji, their parts too", property({ enum: ["\u2764\ufe0f", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"] })],
  ["what separates lines and fields", property({ enum: ["\r\n", "\t", "\n"] })],
  ["blanks of other scripts", property({ default: "\u6771\u3000\u4eac", examples: ["a\u00a0b"] })],
] as const)("hidesSomething() finds nothing in %s", ([, schema]) => {
  expect(hidesSomething(shownSchema(schema))).toBe(false);
});

const word = fc.oneof(
  fc.constantFrom("title", "description", "enumNames", "properties", "enum", "$comment"),
  fc.string({
    unit: fc.constantFrom("a", " ", "\\", '"', "é", "\t", "\n", "\r", "\b", "\u200b", "\u2800", "\ud800"),
  }),
);

test("isShownAsIs() is true only of what is shown as it is, and hides nothing", () => {
  fc.assert(
    fc.property(
      fc.object({ key: word, values: [word, fc.integer(), fc.constant(["a\u200b"])] }),
      (schema) => {
        if (!isShownAsIs(JSON.stringify(schema))) return;
        expect(shownSchema(schema)).toEqual(schema);
        expect(hidesSomething(schema)).toBe(false);
      },
    ),
    { numRuns: 1000 },
  );
  expect(isShownAsIs(JSON.stringify(property({ title: "日本語 – ok\n", enum: ["é"] })))).toBe(true);
  expect(isShownAsIs(JSON.stringify(property({ description: "a\u200b" })))).toBe(false);
  const long = "x".repeat(4001);
  expect([isShownAsIs(JSON.stringify({ title: long })), shownText(long) === long]).toEqual([false, false]);
});

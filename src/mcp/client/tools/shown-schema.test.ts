import { expect, test } from "vitest";
import { hidesSomething, shownSchema } from "./shown-schema.ts";

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

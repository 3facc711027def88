import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonSchema } from "../../base/index.ts";
import { formatSignature } from "./signature.ts";

const object = (properties: Record<string, unknown>, required: readonly string[] = []): JsonSchema => ({
  type: "object",
  properties,
  required,
});

test.for<[string, JsonSchema]>([
  ["", { type: "object" }],
  [
    "path: string, limit?: integer",
    object({ limit: { type: "integer" }, path: { type: "string" } }, ["path"]),
  ],
  ['mode?: "a" | "b"', object({ mode: { type: "string", enum: ["a", "b"] } })],
  ["kind?: 1", object({ kind: { const: 1 } })],
  ["names?: string[]", object({ names: { type: "array", items: { type: "string" } } })],
  [
    "names?: string | string[]",
    object({ names: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] } }),
  ],
  ["ids?: (string | integer)[]", object({ ids: { type: "array", items: { type: ["string", "integer"] } } })],
  ["at?: {x: number, y?: any}", object({ at: object({ x: { type: "number" }, y: {} }, ["x"]) })],
  ["x?: string | null", object({ x: { type: "string", nullable: true } })],
  [
    "any?: any, free?: object, list?: any[]",
    object({ any: true, free: { type: "object" }, list: { type: "array" } }),
  ],
  ["…", { anyOf: [object({ a: {} }), object({ b: {} })] }],
])("formatSignature() says %j", ([text, schema]) => {
  expect(formatSignature(schema)).toBe(text);
});

test("formatSignature() follows references, also of a part that contains itself", () => {
  const node = object({ name: { type: "string" }, next: { $ref: "#/$defs/node" } }, ["name"]);
  const schema = { ...object({ node: { $ref: "#/$defs/node" } }), $defs: { node } };
  expect(formatSignature(schema, { type: 200 })).toBe(
    "node?: {name: string, next?: {name: string, next?: {name: string, next?: object}}}",
  );
});

test("formatSignature() leaves out what is over its bounds, and nothing that is required", () => {
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const schema = object(Object.fromEntries(names.map((name) => [name, { type: "string" }])), names.slice(-3));
  expect(formatSignature(schema, { parameters: 4 })).toBe(
    "p17: string, p18: string, p19: string, p0?: string, …",
  );
  expect(formatSignature(schema, { parameters: 1 })).toBe("p17: string, p18: string, p19: string, …");
  const words = { enum: Array.from({ length: 50 }, (_, index) => `word ${index}`) };
  const wide = object({ words, at: object(Object.fromEntries(names.map((name) => [name, {}]))) });
  expect(formatSignature(wide)).toBe('words?: "word 0" | …, at?: object');
});

test("formatSignature() takes whatever a server calls a schema", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (properties, required) => {
      const schema = { type: "object", properties, required } as JsonSchema;
      expect(typeof formatSignature(schema)).toBe("string");
    }),
  );
});

import { expect, test } from "vitest";
import {
  findBranch,
  readJson,
  renameKey,
  resolveSchema,
  startValue,
  toField,
  withKey,
} from "../../console/src/form/schema-fields.ts";
import type { JsonSchema } from "../../src/base/index.ts";

const read = (schema: JsonSchema, root = schema) => toField(resolveSchema(schema, root), root);

test("a reference and its neighbours, and the parts of allOf, are one schema", () => {
  const root = {
    $defs: { base: { type: "object", properties: { a: { type: "string" } }, required: ["a"] } },
    allOf: [
      { $ref: "#/$defs/base", description: "mine" },
      { properties: { b: true }, required: ["b"] },
    ],
  };
  expect(resolveSchema(root, root)).toMatchObject({
    type: "object",
    description: "mine",
    properties: { a: { type: "string" }, b: true },
    required: ["a", "b"],
  });
  expect(startValue(root, root)).toEqual({ a: "", b: null });
});

test("a reference to itself ends: what is not required is left out, and what is required ends after some steps", () => {
  const tree = {
    type: "object",
    properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
    required: ["name"],
  };
  expect(startValue(tree, tree)).toEqual({ name: "" });
  const endless = { type: "object", properties: { next: { $ref: "#" } }, required: ["next"] };
  expect(JSON.stringify(startValue(endless, endless))).toMatch(/^(?:\{"next":)+\{\}\}+$/);
  const loop = { $ref: "#" };
  expect(read(loop)).toEqual({ kind: "any" });
});

test("kinds of oneOf are named by what tells them apart, keep what is shared, and are found by the value", () => {
  const schema = {
    type: "object",
    properties: { id: { type: "string" } },
    required: ["id"],
    oneOf: [
      { properties: { kind: { const: "file" }, path: { type: "string" } }, required: ["kind", "path"] },
      { properties: { url: { type: "string" } }, required: ["url"] },
      { title: "Nothing" },
    ],
  };
  const field = read(schema);
  if (field.kind !== "alternatives") throw new Error(field.kind);
  expect(field.branches.map(({ label }) => label)).toEqual(['kind: "file"', "with url", "Nothing"]);
  const file = startValue(field.branches[0]?.schema, schema);
  expect(file).toEqual({ id: "", kind: "file", path: "" });
  expect(findBranch(field.branches, file, schema, undefined)?.label).toBe('kind: "file"');
  expect(findBranch(field.branches, { id: "", url: "x" }, schema, undefined)?.label).toBe("with url");
  expect(findBranch(field.branches, { id: "", url: "x" }, schema, "Nothing")?.label).toBe("Nothing");
  expect(findBranch(field.branches, 7, schema, "Nothing")).toBeUndefined();
});

test("several types are kinds of their own", () => {
  const field = read({ type: ["string", "null"], description: "the zip" });
  expect(field).toMatchObject({ kind: "alternatives", branches: [{ label: "string" }, { label: "null" }] });
});

test("a map has a schema for its keys, and an object that says nothing of others offers none", () => {
  expect(read({ type: "object", additionalProperties: { type: "number" } })).toMatchObject({
    properties: [],
    others: { type: "number" },
  });
  expect(read({ type: "object", properties: { a: true } })).toMatchObject({ others: undefined });
  expect(read({ type: "object", properties: {}, additionalProperties: false })).toMatchObject({
    others: undefined,
  });
});

test("a tuple's items have each their schema, and nothing comes after them", () => {
  const schema = { type: "array", prefixItems: [{ type: "string" }, { type: "integer", minimum: 3 }] };
  expect(read(schema)).toMatchObject({ kind: "list", items: undefined });
  expect(startValue(schema, schema)).toEqual(["", 3]);
});

test("keys of others' objects change nothing but the object they are in", () => {
  const value = withKey(JSON.parse('{"a": 1}') as Record<string, unknown>, "__proto__", { sung: true });
  expect(Object.keys(value)).toEqual(["a", "__proto__"]);
  expect((value as { readonly sung?: unknown }).sung).toBeUndefined();
  expect(renameKey(value, "a", "__proto__")).toBe(value);
  expect(Object.keys(renameKey(value, "a", "b"))).toEqual(["b", "__proto__"]);
  expect(Object.keys(withKey(value, "__proto__", undefined))).toEqual(["a"]);
});

test("text that is no JSON is told by its line and column", () => {
  expect(readJson('{"a": 1}')).toEqual({ value: { a: 1 } });
  expect(readJson('{\n  "a": 1,\n  oops\n}')).toMatchObject({ line: 3, column: 3 });
  expect(readJson('{"a":')).toMatchObject({ line: 1, column: 6 });
});

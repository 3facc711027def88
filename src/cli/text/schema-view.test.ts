import { expect, test } from "vitest";
import { listParameters, listTypes, schemaAt } from "./schema-view.ts";

test("listParameters() shows type, bounds, default and nested parts, and follows references", () => {
  const rows = listParameters({
    type: "object",
    required: ["pattern", "edits"],
    properties: {
      pattern: { type: "string", minLength: 1, description: "What to look for" },
      limit: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
      big: { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 },
      mode: { enum: ["a", "b"], default: "a" },
      globs: { type: "array", items: { type: "string" }, maxItems: 5 },
      when: { anyOf: [{ type: "string" }, { type: "null" }] },
      edits: { type: "array", items: { $ref: "#/$defs/edit" } },
      anything: {},
    },
    $defs: {
      edit: {
        type: "object",
        required: ["old"],
        properties: { old: { type: "string" }, all: { type: "boolean" } },
      },
    },
  });
  expect(rows.map(({ name, required, type, default: fallback }) => [name, required, type, fallback])).toEqual(
    [
      ["pattern", true, "string, not empty", undefined],
      ["limit", false, "integer, 1 to 1,000", "100"],
      ["big", false, "integer", undefined],
      ["mode", false, '"a" | "b"', '"a"'],
      ["globs", false, "list of string, at most 5", undefined],
      ["when", false, "string | null", undefined],
      ["edits", true, "list of object", undefined],
      ["edits[].old", true, "string", undefined],
      ["edits[].all", false, "boolean", undefined],
      ["anything", false, "any", undefined],
    ],
  );
});

test("listParameters() lists the parameters of every form of a root union once", () => {
  const rows = listParameters({
    anyOf: [
      { type: "object", properties: { path: { type: "string" }, old: { type: "string" } } },
      { type: "object", properties: { path: { type: "string" }, edits: { type: "array" } } },
    ],
  });
  expect(rows.map((row) => row.name)).toEqual(["path", "old", "edits"]);
});

test("listParameters() ends at a schema that refers to itself", () => {
  const rows = listParameters({
    type: "object",
    properties: { node: { $ref: "#/$defs/node" }, loop: { $ref: "#/$defs/loop" } },
    $defs: {
      node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } },
      loop: { $ref: "#/$defs/loop" },
    },
  });
  expect(rows.map((row) => row.name)).toEqual([
    "node",
    "node.next",
    "node.next.next",
    "node.next.next.next",
    "node.next.next.next.next",
    "loop",
  ]);
});

test("schemaAt() and listTypes() reach through objects, lists and unions", () => {
  const schema = {
    anyOf: [
      { type: "object", properties: { a: { type: "object", additionalProperties: { type: "number" } } } },
      { type: "object", properties: { a: { type: "array", items: { type: "string" } } } },
    ],
  };
  expect(listTypes(schemaAt(schema, ["a"]))).toEqual(["object", "array"]);
  expect(listTypes(schemaAt(schema, ["a", "0"]))).toEqual(["number", "string"]);
  expect(schemaAt(schema, ["b"])).toEqual({});
});

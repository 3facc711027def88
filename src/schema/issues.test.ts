import { describe, expect, test } from "vitest";
import type { JsonSchema, Validation, ValidationIssue } from "../kernel/index.ts";
import { compileJsonSchema } from "./compile.ts";

function listIssues(schema: JsonSchema, value: unknown): readonly ValidationIssue[] {
  const result = compileJsonSchema(schema)(value) as Validation;
  return result.valid ? [] : result.issues;
}

describe("one fault", () => {
  test.each<[JsonSchema, unknown, string]>([
    [{ type: "integer" }, "x", "must be an integer"],
    [{ type: ["string", "null"] }, 1, "must be a string or null"],
    [{ type: "string", nullable: true }, 1, "must be a string or null"],
    [{ enum: ["a", 1, null] }, "b", 'must be one of "a", 1, null'],
    [{ const: { a: 1 } }, 1, 'must be {"a":1}'],
    [{ minimum: 3 }, 2, "must be at least 3"],
    [{ maximum: 3 }, 4, "must be at most 3"],
    [{ exclusiveMinimum: 3 }, 3, "must be greater than 3"],
    [{ exclusiveMaximum: 3 }, 3, "must be less than 3"],
    [{ multipleOf: 2 }, 3, "must be a multiple of 2"],
    [{ minLength: 1 }, "", "must have at least 1 character"],
    [{ maxLength: 2 }, "abc", "must have at most 2 characters"],
    [{ pattern: "^a" }, "b", "must match the pattern ^a"],
    [{ format: "email" }, "b", 'must have the format "email"'],
    [{ minItems: 2 }, [], "must have at least 2 items"],
    [{ maxItems: 1 }, [1, 2], "must have at most 1 item"],
    [{ prefixItems: [{}], items: false }, [1, 2], "must have at most 1 item"],
    [{ uniqueItems: true }, [1, 1], "must not have the same item twice"],
    [{ contains: { type: "string" } }, [1, 2], "must have at least 1 matching item"],
    [
      { contains: { const: 1 }, minContains: 2, maxContains: 3 },
      [1],
      "must have at least 2 and at most 3 matching items",
    ],
    [{ minProperties: 1 }, {}, "must have at least 1 key"],
    [{ maxProperties: 0 }, { a: 1 }, "must have at most 0 keys"],
    [{ not: { type: "string" } }, "x", 'must not match {"type":"string"}'],
    [
      { anyOf: [{ type: "string" }, { type: ["integer", "null"] }] },
      true,
      "must be a string or an integer or null",
    ],
    [
      { oneOf: [{ type: "integer" }, { type: "number" }] },
      1,
      "must match one alternative only, and matches several",
    ],
  ])("compileJsonSchema() says of %j what it expected instead of %j", (schema, value, message) => {
    expect(listIssues({ properties: { v: schema } }, { v: value })).toEqual([{ path: ["v"], message }]);
  });

  test.each<[string, JsonSchema, unknown, ValidationIssue]>([
    ["missing", { required: ["a"] }, {}, { path: ["a"], message: "is required" }],
    [
      "missing beside another",
      { dependentRequired: { b: ["a"] } },
      { b: 1 },
      { path: ["a"], message: 'is required where "b" is given' },
    ],
    [
      "unknown",
      { additionalProperties: false },
      { a: 1 },
      { path: ["a"], message: "is not a known parameter" },
    ],
    [
      "unevaluated",
      { unevaluatedProperties: false },
      { a: 1 },
      { path: ["a"], message: "is not a known parameter" },
    ],
    ["forbidden", { properties: { a: false } }, { a: 1 }, { path: ["a"], message: "is not allowed" }],
    [
      "badly named",
      { propertyNames: { maxLength: 1 } },
      { ab: 1 },
      { path: ["ab"], message: "is not an allowed name" },
    ],
  ])("compileJsonSchema() points at the key that is %s", (_, schema, value, issue) => {
    expect(listIssues(schema, value)).toEqual([issue]);
  });

  test("compileJsonSchema() writes paths as keys and indices", () => {
    const schema = { properties: { "a/b~c": { items: { properties: { "0": { type: "string" } } } } } };
    expect(listIssues(schema, { "a/b~c": [{}, { "0": 1 }] })).toEqual([
      { path: ["a/b~c", 1, "0"], message: "must be a string" },
    ]);
  });
});

describe("alternatives", () => {
  const pet = {
    $defs: {
      cat: {
        type: "object",
        properties: { kind: { const: "cat" }, lives: { type: "integer", maximum: 9 } },
        required: ["kind", "lives"],
      },
      dog: {
        type: "object",
        properties: { kind: { const: "dog" }, name: { $ref: "#/$defs/name" } },
        required: ["kind", "name"],
      },
      name: { type: "string", minLength: 1 },
    },
    properties: { pet: { oneOf: [{ $ref: "#/$defs/cat" }, { $ref: "#/$defs/dog" }, { type: "null" }] } },
  };

  test("compileJsonSchema() speaks of the alternative that was meant alone", () => {
    expect(listIssues(pet, { pet: { kind: "cat", lives: 12 } })).toEqual([
      { path: ["pet", "lives"], message: "must be at most 9" },
    ]);
    expect(listIssues(pet, { pet: { kind: "dog", name: "" } })).toEqual([
      { path: ["pet", "name"], message: "must have at least 1 character" },
    ]);
    expect(listIssues({ anyOf: [{ type: "array" }, { required: ["a"], type: "object" }] }, {})).toEqual([
      { path: ["a"], message: "is required" },
    ]);
  });

  test("compileJsonSchema() names what each alternative lacks where none was clearly meant", () => {
    expect(listIssues({ anyOf: [{ required: ["id"] }, { required: ["name"] }] }, {})).toEqual([
      { path: [], message: 'must match one of its alternatives: "id" is required; or "name" is required' },
    ]);
    expect(listIssues(pet, { pet: { kind: "fish" } })).toEqual([
      {
        path: ["pet"],
        message:
          'must match one of its alternatives: "lives" is required and "kind" must be "cat"; or "name" is required and "kind" must be "dog"; or must be null',
      },
    ]);
  });

  test("compileJsonSchema() tells the condition's consequence, not the condition", () => {
    const schema = JSON.parse(
      '{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}',
    ) as JsonSchema;
    expect(listIssues(schema, { a: 1 })).toEqual([{ path: ["b"], message: "is required" }]);
    expect(listIssues(schema, { a: 2 })).toEqual([{ path: ["c"], message: "is required" }]);
  });
});

describe("many faults", () => {
  test("compileJsonSchema() tells all of them, each once", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" }, b: { minimum: 1, multipleOf: 2 } },
      required: ["c"],
    };
    expect(listIssues({ allOf: [schema, schema] }, { a: 1, b: -1 })).toEqual([
      { path: ["c"], message: "is required" },
      { path: ["a"], message: "must be a string" },
      { path: ["b"], message: "must be at least 1" },
      { path: ["b"], message: "must be a multiple of 2" },
    ]);
  });

  test("compileJsonSchema() tells at most 20, and one for a value too large to look through", () => {
    const schema = { type: "array", items: { type: "string" } };
    expect(
      listIssues(
        schema,
        Array.from({ length: 100 }, () => 1),
      ),
    ).toHaveLength(20);
    expect(
      listIssues(
        schema,
        Array.from({ length: 1_000_000 }, () => 1),
      ),
    ).toEqual([{ path: [0], message: "must be a string" }]);
  });
});

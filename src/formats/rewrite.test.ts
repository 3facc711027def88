import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../base/index.ts";
import { type DescribedTool, type LLMTarget } from "../kernel/registry/tool-formats.ts";
import { toTargetTool } from "./targets.ts";

type ModelTarget = Exclude<LLMTarget, "mcp">;

const tool: DescribedTool = { name: "t", description: "T.", annotations: {} };

function readParameters(schema: JsonSchema, target: ModelTarget): JsonSchema {
  const { definition } = toTargetTool(tool, schema, target);
  if ("function" in definition) return definition.function.parameters;
  return "input_schema" in definition ? definition.input_schema : (definition.parameters ?? {});
}

/** What becomes of one parameter named `p`. */
function parameter(schema: unknown, target: ModelTarget, more: JsonSchema = {}): unknown {
  const whole = { type: "object", properties: { p: schema }, required: ["p"], ...more };
  return (readParameters(whole, target)["properties"] as Record<string, unknown>)["p"];
}

describe("limits", () => {
  test.each([
    ["openai", { type: "string", format: "email", minLength: 3, pattern: "@" }],
    ["anthropic", { type: "string", format: "email", minLength: 3, pattern: "@" }],
    [
      "openai-strict",
      { type: "string", description: "at least 3 characters", format: "email", pattern: "@" },
    ],
    ["gemini", { type: "string", description: "format: email; at least 3 characters; matches @" }],
  ] as const)(
    "toTargetTool() for %s keeps the limits it knows and describes the others",
    (target, expected) => {
      expect(parameter({ type: "string", format: "email", minLength: 3, pattern: "@" }, target)).toEqual(
        expected,
      );
    },
  );

  test("toTargetTool() puts what it describes after the author's words", () => {
    const schema = { type: "array", items: { type: "string" }, uniqueItems: true, description: "The tags" };
    expect(parameter(schema, "gemini")).toEqual({
      type: "array",
      description: "The tags (no item twice)",
      items: { type: "string" },
    });
  });

  test("toTargetTool() for openai-strict describes a pattern that looks around", () => {
    expect(parameter({ type: "string", pattern: "^(?!x)" }, "openai-strict")).toEqual({
      type: "string",
      description: "matches ^(?!x)",
    });
  });

  test.each([
    [{ not: { type: "null" } }, "not null"],
    [{ type: "string", not: { enum: ["x"] } }, 'not "x"'],
    [
      { type: "object", properties: { a: {} }, patternProperties: { "^x-": { type: "string" } } },
      "keys matching ^x-: a string",
    ],
    [
      { type: "object", properties: { a: {} }, propertyNames: { maxLength: 3 } },
      "each key is any value (at most 3 characters)",
    ],
    [{ type: "array", items: {}, contains: { const: 1 }, minContains: 2 }, "2 or more of the items: 1"],
    [
      { type: "object", properties: { a: {} }, dependentRequired: { a: ["b", "c"] } },
      '"a" needs "b" and "c" too',
    ],
  ])("toTargetTool() for openai describes %j", (schema, words) => {
    expect(parameter(schema, "openai")).toMatchObject({ description: words });
  });
});

describe("unions and constants", () => {
  test("toTargetTool() for gemini says null by a flag and gives each type its own alternative", () => {
    expect(parameter({ type: ["string", "integer", "null"], description: "Either" }, "gemini")).toEqual({
      anyOf: [
        { type: "string", description: "Either", nullable: true },
        { type: "integer", nullable: true },
      ],
    });
    expect(parameter({ anyOf: [{ type: "string" }, { type: "null" }] }, "gemini")).toEqual({
      type: "string",
      nullable: true,
    });
  });

  test("toTargetTool() for gemini keeps constants of strings and describes others", () => {
    expect(parameter({ const: "a" }, "gemini")).toEqual({ type: "string", enum: ["a"] });
    expect(parameter({ enum: [1, 2] }, "gemini")).toEqual({ type: "integer", description: "one of 1, 2" });
    expect(parameter({ enum: ["", "b"] }, "gemini")).toEqual({
      type: "string",
      description: 'one of "", "b"',
    });
  });

  test("toTargetTool() writes oneOf as anyOf where it is not known", () => {
    const schema = { oneOf: [{ type: "string" }, { type: "boolean" }] };
    expect(parameter(schema, "openai")).toEqual({ anyOf: [{ type: "string" }, { type: "boolean" }] });
    expect(parameter(schema, "anthropic")).toEqual(schema);
  });

  test("toTargetTool() puts the limits beside a union into its alternatives", () => {
    const schema = { type: "string", minLength: 2, anyOf: [{ format: "email" }, { pattern: "^@" }] };
    expect(parameter(schema, "openai")).toEqual({
      anyOf: [
        { type: "string", format: "email", minLength: 2 },
        { type: "string", pattern: "^@", minLength: 2 },
      ],
    });
  });

  test("toTargetTool() makes a tuple an array with its order described", () => {
    const schema = {
      type: "array",
      prefixItems: [{ type: "string" }, { type: "integer" }],
      items: false,
      minItems: 2,
    };
    expect(parameter(schema, "openai-strict")).toEqual({
      type: "array",
      description: "in order: a string, an integer",
      items: { anyOf: [{ type: "string" }, { type: "integer" }] },
      minItems: 2,
      maxItems: 2,
    });
    expect(parameter(schema, "anthropic")).toEqual(schema);
  });

  test("toTargetTool() reads draft-07's tuples as what they are called today", () => {
    expect(
      parameter({ type: "array", items: [{ type: "string" }], additionalItems: false }, "anthropic"),
    ).toEqual({
      type: "array",
      prefixItems: [{ type: "string" }],
      items: false,
    });
  });
});

describe("open values", () => {
  test.each(["openai-strict", "gemini"] as const)(
    "toTargetTool() for %s has any value sent as JSON text",
    (target) => {
      const schema = {
        type: "object",
        properties: {
          any: { description: "What you like" },
          map: { type: "object", additionalProperties: { type: "integer" } },
        },
        required: ["any", "map"],
      };
      expect(readParameters(schema, target)["properties"]).toEqual({
        any: { type: "string", description: "What you like (JSON text: any value)" },
        map: { type: "string", description: "JSON text: an object (each value: an integer)" },
      });
      const { restore } = toTargetTool(tool, schema, target);
      expect(restore?.({ any: '[1,"x"]', map: '{"a":1}' })).toEqual({ any: [1, "x"], map: { a: 1 } });
      expect(restore?.({ any: "not JSON", map: "[1]" })).toEqual({ any: "not JSON", map: "[1]" });
    },
  );

  test.each(["openai-strict", "gemini"] as const)(
    "toTargetTool() for %s carries keys that are not listed",
    (target) => {
      const schema = {
        type: "object",
        properties: {
          p: {
            type: "object",
            properties: { a: { type: "string" } },
            additionalProperties: { type: "integer" },
          },
        },
        required: ["p"],
      };
      const { restore } = toTargetTool(tool, schema, target);
      expect(parameter(schema.properties.p, target)).toMatchObject({
        properties: {
          additional_properties: {
            description: "Further keys (JSON text: an object (each value: an integer))",
          },
        },
      });
      expect(restore?.({ p: { a: "x", additional_properties: '{"b":1,"c":2}' } })).toEqual({
        p: { a: "x", b: 1, c: 2 },
      });
      expect(restore?.({ p: { a: "x", additional_properties: null } })).toEqual({ p: { a: "x" } });
    },
  );

  test("toTargetTool() for openai leaves open values as they are", () => {
    const map = { type: "object", additionalProperties: { type: "integer" } };
    expect(parameter(map, "openai")).toEqual(map);
    expect(parameter({ description: "Any" }, "openai")).toEqual({ description: "Any" });
    expect(parameter(true, "openai")).toEqual({});
  });
});

describe("keys", () => {
  test.each(["anthropic", "gemini"] as const)(
    "toTargetTool() for %s renames keys it would refuse, and names them back",
    (target) => {
      const long = "k".repeat(70);
      const schema = {
        type: "object",
        properties: {
          "filter[id]": { type: "string" },
          filter_id_: { type: "string" },
          $top: { type: "integer" },
          [long]: { type: "string" },
        },
        required: ["$top"],
      };
      const parameters = readParameters(schema, target);
      const names = Object.keys(parameters["properties"] as object);
      expect(names).toEqual(["filter_id__2", "filter_id_", "_top", "k".repeat(64)]);
      expect(parameters["required"]).toEqual(["_top"]);
      const { restore } = toTargetTool(tool, schema, target);
      expect(restore?.({ filter_id__2: "a", filter_id_: "b", _top: 1, [names[3] as string]: "c" })).toEqual({
        "filter[id]": "a",
        filter_id_: "b",
        $top: 1,
        [long]: "c",
      });
    },
  );

  test("toTargetTool() treats __proto__ as a key like any other", () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"integer"},"a":{"type":"string"}}}',
    ) as JsonSchema;
    const { restore } = toTargetTool(tool, schema, "openai-strict");
    expect(Object.keys(readParameters(schema, "openai-strict")["properties"] as object)).toEqual([
      "__proto__",
      "a",
    ]);
    const restored = restore?.(JSON.parse('{"__proto__":1,"a":null}'));
    expect(JSON.stringify(restored)).toBe('{"__proto__":1}');
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });
});

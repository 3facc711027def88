import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../base/index.ts";
import { isRecord } from "../base/index.ts";
import { type DescribedTool, type LLMTarget } from "../kernel/registry/tool-formats.ts";
import { toTargetTool } from "./targets.ts";

type ModelTarget = Exclude<LLMTarget, "mcp">;
const modelTargets: readonly ModelTarget[] = ["openai", "openai-strict", "anthropic", "gemini"];

const tool: DescribedTool = { name: "t", description: "T.", annotations: {} };

function readParameters(schema: JsonSchema, target: ModelTarget): JsonSchema {
  const { definition } = toTargetTool(tool, schema, target);
  if ("function" in definition) return definition.function.parameters;
  return "input_schema" in definition ? definition.input_schema : (definition.parameters ?? {});
}

describe("bounds", () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}`,
      {
        type: "object",
        properties: { l: { $ref: `#/$defs/d${index + 1}` }, r: { $ref: `#/$defs/d${index + 1}` } },
      },
    ]),
  );
  const nested = (depth: number): JsonSchema =>
    depth === 0
      ? { type: "string" }
      : { type: "array", items: nested(depth - 1), anyOf: [{ minItems: 1 }, { maxItems: 9 }] };
  const deep = (depth: number): JsonSchema =>
    depth === 0 ? { type: "string" } : { type: "object", properties: { d: deep(depth - 1) } };
  const hostile: Readonly<Record<string, JsonSchema>> = {
    "references that double": {
      $defs: { ...doubling, d40: { type: "string" } },
      properties: { p: { $ref: "#/$defs/d0" } },
    },
    "a reference to itself": { properties: { p: { $ref: "#/properties/p" } } },
    "an allOf of itself": {
      $defs: { a: { allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } },
      properties: { p: { $ref: "#/$defs/a" } },
    },
    "a union of itself": {
      $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } },
      properties: { p: { $ref: "#/$defs/a" } },
    },
    "unions in unions": { properties: { p: nested(30) } },
    "deep nesting": { properties: { p: deep(500) } },
    "many constants": {
      properties: { p: { enum: Array.from({ length: 5000 }, (_, index) => `value ${index}`) } },
    },
    "many alternatives": {
      anyOf: Array.from({ length: 300 }, (_, index) => ({
        type: "object",
        properties: { [`k${index}`]: { type: "string" } },
      })),
    },
  };

  test.each(Object.keys(hostile))("toTargetTool() stays small for %s", (name) => {
    for (const target of modelTargets) {
      const { definition } = toTargetTool(tool, { type: "object", ...hostile[name] }, target);
      expect(JSON.stringify(definition).length).toBeLessThan(600_000);
    }
  });
});

/** Objects of up to five of these keys. */
function someSchema(keywords: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<JsonSchema> {
  const entries = Object.entries(keywords).map(([keyword, value]) =>
    value.map((one): [string, unknown] => [keyword, one]),
  );
  return fc
    .uniqueArray(fc.oneof(...entries), { maxLength: 5, selector: ([keyword]) => keyword })
    .map(Object.fromEntries);
}

/** Schemas of every keyword, in any combination, with references that may run in a circle. */
const { schema: anySchema } = fc.letrec<{ schema: JsonSchema; part: unknown }>((tie) => ({
  part: fc.oneof({ maxDepth: 4, withCrossShrink: true }, fc.boolean(), tie("schema")),
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<JsonSchema>(
      {},
      { type: "string" },
      { $ref: "#/$defs/A" },
      { $ref: "#/$defs/B" },
      { type: "null" },
    ),
    someSchema({
      type: fc.oneof(
        fc.constantFrom("string", "integer", "number", "boolean", "object", "array", "null"),
        fc.uniqueArray(fc.constantFrom("string", "integer", "object", "array", "null"), { minLength: 1 }),
      ),
      description: fc.constant("Words"),
      title: fc.constant("Title"),
      default: fc.constantFrom(null, 1, "x"),
      enum: fc.uniqueArray(fc.constantFrom<unknown>("x", "", 1, null, true), { minLength: 1 }),
      const: fc.constantFrom<unknown>("x", 1, null, false),
      properties: fc.dictionary(fc.constantFrom("a", "b", "c d", "$e"), tie("part")),
      required: fc.uniqueArray(fc.constantFrom("a", "z")),
      additionalProperties: tie("part"),
      patternProperties: fc.dictionary(fc.constantFrom("^x"), tie("part")),
      propertyNames: tie("part"),
      minProperties: fc.nat(3),
      dependentRequired: fc.constant({ a: ["b"] }),
      dependentSchemas: fc.dictionary(fc.constantFrom("a"), tie("part")),
      items: tie("part"),
      prefixItems: fc.array(tie("part"), { minLength: 1, maxLength: 2 }),
      contains: tie("part"),
      uniqueItems: fc.boolean(),
      minItems: fc.nat(3),
      minLength: fc.nat(3),
      pattern: fc.constantFrom("^a", "(?=a)"),
      format: fc.constantFrom("email", "uri", "date-time", "int32"),
      minimum: fc.nat(3),
      multipleOf: fc.constant(2),
      allOf: fc.array(tie("part"), { minLength: 1, maxLength: 2 }),
      anyOf: fc.array(tie("part"), { minLength: 1, maxLength: 3 }),
      oneOf: fc.array(tie("part"), { minLength: 1, maxLength: 2 }),
      not: tie("part"),
      ...Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, tie("part")])),
      unevaluatedProperties: fc.boolean(),
      "x-vendor": fc.constant(1),
    }),
  ),
}));
const anyParameters = fc
  .record({
    A: anySchema,
    B: anySchema,
    properties: fc.dictionary(fc.constantFrom("p", "q r"), anySchema),
    more: anySchema,
  })
  .map(({ A, B, properties, more }): JsonSchema => {
    const {
      type: _,
      const: __,
      enum: ___,
      $ref: ____,
      allOf: _____,
      anyOf: ______,
      oneOf: _______,
      ...rest
    } = more;
    return { ...rest, type: "object", properties, $defs: { A, B } };
  });

test.each(["constructor", "toString", "valueOf", "__defineGetter__", "__proto__"])(
  "toTargetTool() takes %s for a name like any other",
  (name) => {
    const text = `{"type":"object","${name}":{"a":1},"allOf":[{"${name}":1}],"properties":{"${name}":{"${name}":1,"type":"string"}},"required":["${name}"]}`;
    for (const target of modelTargets) {
      const { properties, required } = readParameters(JSON.parse(text) as JsonSchema, target);
      const [key] = required as [string];
      expect(Object.hasOwn(properties as object, key)).toBe(true);
      expect((properties as JsonSchema)[key]).toMatchObject({ type: "string" });
    }
  },
);

test.each<[string, JsonSchema]>([
  ['"anyOf" is {"a":1}', { anyOf: { a: 1 } }],
  ['"anyOf" is [5]', { anyOf: [5] }],
  ['"properties" is {"a":5}', { properties: { a: 5 } }],
  ['"required" is "a"', { required: "a" }],
  ['"required" is true', { properties: { a: { required: true } } }],
  ['"minLength" is "3"', { properties: { a: { items: { minLength: "3" } } } }],
  ['"type" is null', { properties: { a: { type: null } } }],
])("toTargetTool() refuses a schema whose %s", (words, schema) => {
  for (const target of modelTargets) {
    expect(() => toTargetTool(tool, schema, target)).toThrow(
      new TypeError(`Cannot read the schema: its ${words}`),
    );
  }
});

describe("any schema", () => {
  test.each(modelTargets)("toTargetTool() for %s leaves no keyword that the API does not take", (target) => {
    fc.assert(
      fc.property(anyParameters, (schema) => {
        const { definition } = toTargetTool(tool, schema, target);
        expect(definition).toEqual(toTargetTool(tool, structuredClone(schema), target).definition);
        const parameters = readParameters(schema, target);
        if (target === "gemini" && Object.keys(parameters).length === 0) return;
        expect(parameters["type"]).toBe("object");
        expect(rootForbidden.filter((keyword) => keyword in parameters)).toEqual([]);
        expect(JSON.stringify(parameters)).not.toContain('"$ref"');
        expect(listFaults(parameters, target, "")).toEqual([]);
      }),
      { numRuns: 1_500 },
    );
  });
});

describe("any arguments", () => {
  test.each(modelTargets)("restore() for %s never throws and never changes what it was given", (target) => {
    fc.assert(
      fc.property(
        anyParameters,
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom("p", "q_r", "q r"), fc.jsonValue()),
        (schema, any, args) => {
          const { restore } = toTargetTool(tool, schema, target);
          for (const given of [any, args]) {
            const before = structuredClone(given);
            restore?.(given);
            expect(given).toEqual(before);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});

const rootForbidden = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "then", "else"];
const common = ["type", "description", "enum", "properties", "required", "items", "anyOf"];
const limits = ["format", "minimum", "minItems"];
const full = [
  "patternProperties",
  "propertyNames",
  "dependentRequired",
  "dependentSchemas",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "prefixItems",
  "oneOf",
];
const open = ["minLength", "uniqueItems", "minProperties", "default", "additionalProperties"];
const known: Readonly<Record<ModelTarget, ReadonlySet<string>>> = {
  openai: new Set([...common, ...limits, ...open, "pattern", "multipleOf", "maxItems"]),
  "openai-strict": new Set([
    ...common,
    ...limits,
    "pattern",
    "multipleOf",
    "maxItems",
    "additionalProperties",
  ]),
  anthropic: new Set([...common, ...limits, ...open, ...full, "pattern", "multipleOf", "maxItems"]),
  gemini: new Set([...common, ...limits, "maxItems", "nullable"]),
};

function listFaults(schema: unknown, target: ModelTarget, path: string): string[] {
  if (typeof schema === "boolean")
    return target === "openai" || target === "anthropic" ? [] : [`${path}: a boolean`];
  if (!isRecord(schema)) return [`${path}: ${typeof schema}`];
  const { properties = {}, items, anyOf = [], oneOf = [], prefixItems = [], required = [] } = schema;
  const faults = Object.keys(schema).flatMap((keyword) =>
    known[target].has(keyword) ? [] : [`${path}: ${keyword}`],
  );
  faults.push(...(shapeFaults[target]?.(schema) ?? []).map((fault) => `${path}: ${fault}`));
  const keys = Object.keys(properties as object);
  const missing = (required as string[]).filter((key) => !keys.includes(key));
  if (missing.length > 0) faults.push(`${path}: requires ${missing.join()}`);
  const inner: [string, unknown][] = [
    ...Object.entries(properties as object),
    ...[...(anyOf as unknown[]), ...(oneOf as unknown[]), ...(prefixItems as unknown[])].map(
      (part, index): [string, unknown] => [`|${index}`, part],
    ),
    ...(items === undefined ? [] : [["[]", items] as [string, unknown]]),
  ];
  return [...faults, ...inner.flatMap(([key, part]) => listFaults(part, target, `${path}/${key}`))];
}

const hasItems = ({ type, items }: JsonSchema) =>
  type === "array" && items === undefined ? ["an array without items"] : [];

const shapeFaults: Partial<Record<ModelTarget, (schema: JsonSchema) => string[]>> = {
  openai: hasItems,
  "openai-strict": (schema) => {
    const { type, anyOf, additionalProperties, properties, required } = schema;
    const isObject = [type].flat().includes("object");
    const isClosed =
      additionalProperties === false && String(Object.keys(properties ?? {})) === String(required);
    return [
      ...hasItems(schema),
      ...(type === undefined && anyOf === undefined ? ["no type"] : []),
      ...(isObject && !isClosed ? ["an open object"] : []),
    ];
  },
  anthropic: ({ properties = {} }) =>
    Object.keys(properties as object).filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)),
  gemini: (schema) => {
    const { type, anyOf, properties, enum: constants } = schema;
    return [
      ...hasItems(schema),
      ...(anyOf === undefined && typeof type !== "string" ? ["not one type"] : []),
      ...(anyOf !== undefined && Object.keys(schema).length > 1 ? ["more than anyOf"] : []),
      ...(type === "object" && Object.keys((properties ?? {}) as object).length === 0
        ? ["an object without keys"]
        : []),
      ...(constants !== undefined &&
      (constants as unknown[]).some((one) => typeof one !== "string" || one === "")
        ? ["a constant that is no text"]
        : []),
    ];
  },
};

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRecord } from "../base/index.ts";
import type { JsonSchema } from "./schema.ts";
import { type DescribedTool, type LLMTarget, llmTargets, toTargetTool } from "./targets.ts";

type ModelTarget = Exclude<LLMTarget, "mcp">;
const modelTargets: readonly ModelTarget[] = ["openai", "openai-strict", "anthropic", "gemini"];

const tool: DescribedTool = { name: "t", description: "T.", annotations: {} };

function definitionOf(schema: JsonSchema, target: ModelTarget): { description: string; parameters: JsonSchema } {
  const { definition } = toTargetTool(tool, schema, target);
  if ("function" in definition) return definition.function;
  const { description } = definition;
  if ("input_schema" in definition) return { description, parameters: definition.input_schema };
  return { description, parameters: definition.parameters ?? {} };
}

function parametersOf(schema: JsonSchema, target: ModelTarget): JsonSchema {
  return definitionOf(schema, target).parameters;
}

/** What becomes of one parameter named `p`. */
function parameter(schema: unknown, target: ModelTarget, more: JsonSchema = {}): unknown {
  const whole = { type: "object", properties: { p: schema }, required: ["p"], ...more };
  return (parametersOf(whole, target)["properties"] as Record<string, unknown>)["p"];
}

describe("wire forms", () => {
  const schema = {
    type: "object",
    properties: { path: { type: "string", description: "Where" }, limit: { type: "integer", minimum: 1, default: 9 } },
    required: ["path"],
    additionalProperties: false,
  };
  const readFile: DescribedTool = {
    name: "read_file",
    title: "Read a file",
    description: "Read.",
    annotations: { readOnly: true, openWorld: false },
    icons: [{ src: "https://example.com/i.png" }],
    output: { type: "string" },
  };

  test("toTargetTool() makes a function tool for openai", () => {
    expect(toTargetTool(readFile, schema, "openai")).toEqual({
      definition: { type: "function", function: { name: "read_file", description: "Read.", parameters: schema } },
    });
  });

  test("toTargetTool() requires every key for openai-strict, and takes null for those left out", () => {
    const { definition, restore } = toTargetTool(readFile, schema, "openai-strict");
    expect(definition).toEqual({
      type: "function",
      function: {
        name: "read_file",
        description: "Read.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where" },
            limit: { type: ["integer", "null"], description: "default: 9", minimum: 1 },
          },
          required: ["path", "limit"],
          additionalProperties: false,
        },
        strict: true,
      },
    });
    expect(restore?.({ path: "a", limit: null })).toEqual({ path: "a" });
    expect(restore?.({ path: "a", limit: 2 })).toEqual({ path: "a", limit: 2 });
  });

  test("toTargetTool() makes an input_schema for anthropic", () => {
    expect(toTargetTool(readFile, schema, "anthropic")).toEqual({
      definition: { name: "read_file", description: "Read.", input_schema: schema },
    });
  });

  test("toTargetTool() keeps to Google's part of OpenAPI for gemini", () => {
    expect(toTargetTool(readFile, schema, "gemini")).toEqual({
      definition: {
        name: "read_file",
        description: "Read.",
        parameters: {
          type: "object",
          properties: {
            path: { type: "string", description: "Where" },
            limit: { type: "integer", description: "default: 9", minimum: 1 },
          },
          required: ["path"],
        },
      },
    });
  });

  test("toTargetTool() leaves the parameters out for gemini where a tool takes none", () => {
    expect(toTargetTool(tool, { type: "object" }, "gemini")).toEqual({ definition: { name: "t", description: "T." } });
  });

  test("toTargetTool() passes the whole schema on for mcp, with what the tool says of itself", () => {
    const whole = { ...schema, $defs: { a: { type: "string" } }, if: { required: ["limit"] }, then: {} };
    expect(toTargetTool(readFile, whole, "mcp")).toEqual({
      definition: {
        name: "read_file",
        title: "Read a file",
        description: "Read.",
        inputSchema: whole,
        outputSchema: { type: "string" },
        annotations: {
          title: "Read a file",
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: false,
          openWorldHint: false,
        },
        icons: [{ src: "https://example.com/i.png" }],
      },
    });
  });

  test("toTargetTool() for mcp fills in what the protocol assumes of a tool that says nothing", () => {
    expect(toTargetTool(tool, { properties: {} }, "mcp").definition).toEqual({
      name: "t",
      description: "T.",
      inputSchema: { type: "object", properties: {} },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    });
  });
});

describe("references", () => {
  const tree = {
    type: "object",
    $defs: {
      Node: { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/Node" } } },
    },
    properties: { start: { $ref: "#/$defs/Node", description: "Where to begin" } },
  };

  test("toTargetTool() unfolds a recursive reference twice and describes where it cuts", () => {
    const cut = { type: "object", description: 'of the same form as the "Node" that holds it' };
    const node = (next: object) => ({ type: "object", properties: { name: { type: "string" }, next } });
    expect(parametersOf(tree, "openai")).toEqual({
      type: "object",
      properties: { start: { ...node(node(cut)), description: "Where to begin" } },
    });
  });

  test("toTargetTool() lets a model go deeper than the cut by JSON text", () => {
    const { restore } = toTargetTool(tool, tree, "openai-strict");
    const written = { start: { name: "a", next: { name: null, next: '{"name":"c","next":{"name":"d"}}' } } };
    expect(restore?.(written)).toEqual({ start: { name: "a", next: { next: { name: "c", next: { name: "d" } } } } });
  });

  test.each([
    ["#/definitions/word", { definitions: { word: { type: "string" } } }],
    ["#word", { $defs: { any: { $anchor: "word", type: "string" } } }],
    ["word.json", { $defs: { any: { $id: "word.json", type: "string" } } }],
    ["#/$defs/a~1b%20c", { $defs: { "a/b c": { type: "string" } } }],
  ])("toTargetTool() follows the reference %s", ($ref, more) => {
    expect(parameter({ $ref }, "openai", more)).toEqual({ type: "string" });
  });

  test("toTargetTool() joins what stands beside a reference with what it names", () => {
    const more = { $defs: { size: { type: "integer", minimum: 0 } } };
    expect(parameter({ $ref: "#/$defs/size", maximum: 5, description: "Size" }, "openai", more)).toEqual({
      type: "integer",
      description: "Size",
      maximum: 5,
      minimum: 0,
    });
  });

  test.each(llmTargets)("toTargetTool() for %s refuses a reference that leads nowhere, or out of the schema", (target) => {
    for (const $ref of ["#/$defs/none", "https://example.com/schema.json", "#none", "../other.json#/a"]) {
      const schema = { type: "object", properties: { p: { $ref } } };
      expect(() => toTargetTool(tool, schema, target)).toThrow(
        new TypeError(`Cannot follow the reference "${$ref}": the schema has no such part, and only local ones are followed`),
      );
    }
  });
});

describe("the root", () => {
  test.each(llmTargets)("toTargetTool() for %s refuses parameters that are no object", (target) => {
    for (const schema of [{ type: "string" }, { type: ["array", "null"] }, { anyOf: [{ type: "string" }] }]) {
      expect(() => toTargetTool(tool, schema, target)).toThrow(TypeError);
    }
  });

  test("toTargetTool() unites the alternatives of a root union and describes them", () => {
    const schema = {
      type: "object",
      oneOf: [
        { properties: { kind: { const: "file" }, path: { type: "string" } }, required: ["kind", "path"] },
        { properties: { kind: { const: "url" }, url: { type: "string" }, wait: { type: "integer" } }, required: ["kind", "url"] },
      ],
    };
    for (const target of ["openai", "anthropic"] as const) {
      expect(definitionOf(schema, target)).toMatchObject({
        description: 'T.\n\nArguments: give one of: {"kind": "file", "path"} or {"kind": "url", "url", "wait"?}',
        parameters: {
          type: "object",
          properties: {
            kind: { type: "string", enum: ["file", "url"] },
            path: { type: "string" },
            url: { type: "string" },
            wait: { type: "integer" },
          },
          required: ["kind"],
        },
      });
    }
  });

  test("toTargetTool() describes a root union that only says what is required", () => {
    const schema = {
      type: "object",
      properties: { id: { type: "string" }, name: { type: "string" } },
      anyOf: [{ required: ["id"] }, { required: ["name"] }],
    };
    expect(definitionOf(schema, "anthropic")).toEqual({
      description: 'T.\n\nArguments: give one of: {"id"} or {"name"}',
      parameters: { type: "object", properties: { id: { type: "string" }, name: { type: "string" } } },
    });
  });

  test("toTargetTool() for openai-strict drops the nulls that the alternative meant does not take", () => {
    const branch = (kind: string, properties: object) => ({
      type: "object",
      properties: { kind: { const: kind }, ...properties },
      required: ["kind", ...Object.keys(properties)],
      additionalProperties: false,
    });
    const schema = { oneOf: [branch("a", { x: { type: ["string", "null"] } }), branch("b", { y: { type: "string" } })] };
    const { restore } = toTargetTool(tool, schema, "openai-strict");
    expect(restore?.({ kind: "a", x: null, y: null })).toEqual({ kind: "a", x: null });
    expect(restore?.({ kind: "b", x: null, y: "z" })).toEqual({ kind: "b", y: "z" });
  });

  test("toTargetTool() merges a root allOf", () => {
    const schema = {
      allOf: [
        { type: "object", properties: { a: { type: "integer", minimum: 1 } }, required: ["a"] },
        { properties: { a: { type: "number", maximum: 9 }, b: { type: "string" } } },
      ],
    };
    expect(parametersOf(schema, "anthropic")).toEqual({
      type: "object",
      properties: { a: { type: "integer", minimum: 1, maximum: 9 }, b: { type: "string" } },
      required: ["a"],
    });
  });

  test("toTargetTool() says in the tool's description what is asked of the arguments as a whole", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      dependentRequired: { a: ["b"] },
      minProperties: 1,
      not: { required: ["c"] },
      if: { properties: { a: { const: "x" } }, required: ["a"] },
      then: { required: ["b"] },
    };
    expect(definitionOf(schema, "gemini").description).toBe(
      'T.\n\nArguments: "a" needs "b" too; at least 1 key; not an object with "c"; if it is an object with "a" "x", it must be an object with "b"',
    );
  });
});

describe("limits", () => {
  test.each([
    ["openai", { type: "string", format: "email", minLength: 3, pattern: "@" }],
    ["anthropic", { type: "string", format: "email", minLength: 3, pattern: "@" }],
    ["openai-strict", { type: "string", description: "at least 3 characters", format: "email", pattern: "@" }],
    ["gemini", { type: "string", description: "format: email; at least 3 characters; matches @" }],
  ] as const)("toTargetTool() for %s keeps the limits it knows and describes the others", (target, expected) => {
    expect(parameter({ type: "string", format: "email", minLength: 3, pattern: "@" }, target)).toEqual(expected);
  });

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
    [{ type: "string", not: { enum: ["x"] } }, 'not one of "x"'.replace("one of ", "")],
    [{ type: "object", properties: { a: {} }, patternProperties: { "^x-": { type: "string" } } }, "keys matching ^x-: a string"],
    [{ type: "object", properties: { a: {} }, propertyNames: { maxLength: 3 } }, "each key is any value (at most 3 characters)"],
    [{ type: "array", items: {}, contains: { const: 1 }, minContains: 2 }, "2 or more of the items: 1"],
    [{ type: "object", properties: { a: {} }, dependentRequired: { a: ["b", "c"] } }, '"a" needs "b" and "c" too'],
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
    expect(parameter({ anyOf: [{ type: "string" }, { type: "null" }] }, "gemini")).toEqual({ type: "string", nullable: true });
  });

  test("toTargetTool() for gemini keeps constants of strings and describes others", () => {
    expect(parameter({ const: "a" }, "gemini")).toEqual({ type: "string", enum: ["a"] });
    expect(parameter({ enum: [1, 2] }, "gemini")).toEqual({ type: "integer", description: "one of 1, 2" });
    expect(parameter({ enum: ["", "b"] }, "gemini")).toEqual({ type: "string", description: 'one of "", "b"' });
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
    const schema = { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false, minItems: 2 };
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
    expect(parameter({ type: "array", items: [{ type: "string" }], additionalItems: false }, "anthropic")).toEqual({
      type: "array",
      prefixItems: [{ type: "string" }],
      items: false,
    });
  });
});

describe("open values", () => {
  test.each(["openai-strict", "gemini"] as const)("toTargetTool() for %s has any value sent as JSON text", (target) => {
    const schema = {
      type: "object",
      properties: { any: { description: "What you like" }, map: { type: "object", additionalProperties: { type: "integer" } } },
      required: ["any", "map"],
    };
    expect(parametersOf(schema, target)["properties"]).toEqual({
      any: { type: "string", description: "What you like (JSON text: any value)" },
      map: { type: "string", description: "JSON text: an object (each value: an integer)" },
    });
    const { restore } = toTargetTool(tool, schema, target);
    expect(restore?.({ any: '[1,"x"]', map: '{"a":1}' })).toEqual({ any: [1, "x"], map: { a: 1 } });
    expect(restore?.({ any: "not JSON", map: "[1]" })).toEqual({ any: "not JSON", map: "[1]" });
  });

  test.each(["openai-strict", "gemini"] as const)("toTargetTool() for %s carries keys that are not listed", (target) => {
    const schema = {
      type: "object",
      properties: { p: { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "integer" } } },
      required: ["p"],
    };
    const { restore } = toTargetTool(tool, schema, target);
    expect(parameter(schema.properties.p, target)).toMatchObject({
      properties: { additional_properties: { description: "Further keys (JSON text: an object (each value: an integer))" } },
    });
    expect(restore?.({ p: { a: "x", additional_properties: '{"b":1,"c":2}' } })).toEqual({ p: { a: "x", b: 1, c: 2 } });
    expect(restore?.({ p: { a: "x", additional_properties: null } })).toEqual({ p: { a: "x" } });
  });

  test("toTargetTool() for openai leaves open values as they are", () => {
    const map = { type: "object", additionalProperties: { type: "integer" } };
    expect(parameter(map, "openai")).toEqual(map);
    expect(parameter({ description: "Any" }, "openai")).toEqual({ description: "Any" });
    expect(parameter(true, "openai")).toEqual({});
  });
});

describe("keys", () => {
  test.each(["anthropic", "gemini"] as const)("toTargetTool() for %s renames keys it would refuse, and names them back", (target) => {
    const long = "k".repeat(70);
    const schema = {
      type: "object",
      properties: { "filter[id]": { type: "string" }, filter_id_: { type: "string" }, $top: { type: "integer" }, [long]: { type: "string" } },
      required: ["$top"],
    };
    const parameters = parametersOf(schema, target);
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
  });

  test("toTargetTool() treats __proto__ as a key like any other", () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"integer"},"a":{"type":"string"}}}') as JsonSchema;
    const { restore } = toTargetTool(tool, schema, "openai-strict");
    expect(Object.keys(parametersOf(schema, "openai-strict")["properties"] as object)).toEqual(["__proto__", "a"]);
    const restored = restore?.(JSON.parse('{"__proto__":1,"a":null}'));
    expect(JSON.stringify(restored)).toBe('{"__proto__":1}');
    expect(({} as Record<string, unknown>)["a"]).toBeUndefined();
  });
});

describe("bounds", () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [
      `d${index}`,
      { type: "object", properties: { l: { $ref: `#/$defs/d${index + 1}` }, r: { $ref: `#/$defs/d${index + 1}` } } },
    ]),
  );
  const nested = (depth: number): JsonSchema =>
    depth === 0 ? { type: "string" } : { type: "array", items: nested(depth - 1), anyOf: [{ minItems: 1 }, { maxItems: 9 }] };
  const deep = (depth: number): JsonSchema =>
    depth === 0 ? { type: "string" } : { type: "object", properties: { d: deep(depth - 1) } };
  const hostile: Readonly<Record<string, JsonSchema>> = {
    "references that double": { $defs: { ...doubling, d40: { type: "string" } }, properties: { p: { $ref: "#/$defs/d0" } } },
    "a reference to itself": { properties: { p: { $ref: "#/properties/p" } } },
    "an allOf of itself": { $defs: { a: { allOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } }, properties: { p: { $ref: "#/$defs/a" } } },
    "a union of itself": { $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }, { $ref: "#/$defs/a" }] } }, properties: { p: { $ref: "#/$defs/a" } } },
    "unions in unions": { properties: { p: nested(30) } },
    "deep nesting": { properties: { p: deep(500) } },
    "many constants": { properties: { p: { enum: Array.from({ length: 5000 }, (_, index) => `value ${index}`) } } },
    "many alternatives": {
      anyOf: Array.from({ length: 300 }, (_, index) => ({ type: "object", properties: { [`k${index}`]: { type: "string" } } })),
    },
  };

  test.each(Object.keys(hostile))("toTargetTool() stays small for %s", (name) => {
    for (const target of modelTargets) {
      const { definition } = toTargetTool(tool, { type: "object", ...hostile[name] }, target);
      expect(JSON.stringify(definition).length).toBeLessThan(600_000);
    }
  });
});

/** Schemas of every keyword, in any combination, with references that may run in a circle. */
const { schema: anySchema } = fc.letrec<{ schema: JsonSchema; part: unknown }>((tie) => ({
  part: fc.oneof({ depthSize: "small", withCrossShrink: true }, fc.boolean(), tie("schema")),
  schema: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<JsonSchema>({}, { type: "string" }, { $ref: "#/$defs/A" }, { $ref: "#/$defs/B" }, { type: "null" }),
    fc.record<JsonSchema>(
      {
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
        if: tie("part"),
        // biome-ignore lint/suspicious/noThenProperty: the keyword's name
        then: tie("part"),
        else: tie("part"),
        unevaluatedProperties: fc.boolean(),
        "x-vendor": fc.constant(1),
      },
      { requiredKeys: [] },
    ),
  ),
}));
const anyParameters = fc
  .record({ A: anySchema, B: anySchema, properties: fc.dictionary(fc.constantFrom("p", "q r"), anySchema), more: anySchema })
  .map(({ A, B, properties, more }): JsonSchema => {
    const { type: _, const: __, enum: ___, $ref: ____, allOf: _____, anyOf: ______, oneOf: _______, ...rest } = more;
    return { ...rest, type: "object", properties, $defs: { A, B } };
  });

describe("any schema", () => {
  test.each(modelTargets)("toTargetTool() for %s leaves no keyword that the API does not take", (target) => {
    fc.assert(
      fc.property(anyParameters, (schema) => {
        const { definition } = toTargetTool(tool, schema, target);
        expect(definition).toEqual(toTargetTool(tool, structuredClone(schema), target).definition);
        const { parameters } = definitionOf(schema, target);
        if (target === "gemini" && Object.keys(parameters).length === 0) return;
        expect(parameters["type"]).toBe("object");
        expect(rootForbidden.filter((keyword) => keyword in parameters)).toEqual([]);
        expect(faultsOf(parameters, target, "")).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

const rootForbidden = ["anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "then", "else"];
const common = ["type", "description", "enum", "properties", "required", "items", "anyOf"];
const limits = ["format", "minimum", "minItems"];
const known: Readonly<Record<ModelTarget, ReadonlySet<string>>> = {
  openai: new Set([
    ...common,
    ...limits,
    ...["minLength", "pattern", "multipleOf", "maxItems", "uniqueItems", "minProperties", "default", "additionalProperties"],
  ]),
  "openai-strict": new Set([...common, ...limits, "pattern", "multipleOf", "maxItems", "additionalProperties"]),
  anthropic: new Set([
    ...common,
    ...limits,
    ...["minLength", "pattern", "multipleOf", "maxItems", "uniqueItems", "minProperties", "default", "additionalProperties"],
    ...["patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "contains", "not", "if", "then", "else"],
    ...["prefixItems", "oneOf"],
  ]),
  gemini: new Set([...common, ...limits, "maxItems", "nullable"]),
};

function faultsOf(schema: unknown, target: ModelTarget, path: string): string[] {
  if (typeof schema === "boolean") return target === "openai" || target === "anthropic" ? [] : [`${path}: a boolean`];
  if (!isRecord(schema)) return [`${path}: ${typeof schema}`];
  const { properties = {}, items, anyOf = [], oneOf = [], prefixItems = [], required = [] } = schema;
  const faults = Object.keys(schema).flatMap((keyword) => (known[target].has(keyword) ? [] : [`${path}: ${keyword}`]));
  if (JSON.stringify(schema).includes('"$ref"')) faults.push(`${path}: $ref`);
  faults.push(...(shapeFaults[target]?.(schema) ?? []).map((fault) => `${path}: ${fault}`));
  const keys = Object.keys(properties as object);
  const missing = (required as string[]).filter((key) => !keys.includes(key));
  if (missing.length > 0) faults.push(`${path}: requires ${missing}`);
  const inner: [string, unknown][] = [
    ...Object.entries(properties as object),
    ...[...(anyOf as unknown[]), ...(oneOf as unknown[]), ...(prefixItems as unknown[])].map((part, index): [string, unknown] => [
      `|${index}`,
      part,
    ]),
    ...(items === undefined ? [] : [["[]", items] as [string, unknown]]),
  ];
  return [...faults, ...inner.flatMap(([key, part]) => faultsOf(part, target, `${path}/${key}`))];
}

const hasItems = ({ type, items }: JsonSchema) => (type === "array" && items === undefined ? ["an array without items"] : []);

const shapeFaults: Partial<Record<ModelTarget, (schema: JsonSchema) => string[]>> = {
  openai: hasItems,
  "openai-strict": (schema) => {
    const { type, anyOf, additionalProperties, properties, required } = schema;
    const isObject = [type].flat().includes("object");
    const isClosed = additionalProperties === false && String(Object.keys(properties ?? {})) === String(required);
    return [
      ...hasItems(schema),
      ...(type === undefined && anyOf === undefined ? ["no type"] : []),
      ...(isObject && !isClosed ? ["an open object"] : []),
    ];
  },
  anthropic: ({ properties = {} }) => Object.keys(properties as object).filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)),
  gemini: (schema) => {
    const { type, anyOf, properties, enum: constants } = schema;
    return [
      ...hasItems(schema),
      ...(anyOf === undefined && typeof type !== "string" ? ["not one type"] : []),
      ...(anyOf !== undefined && Object.keys(schema).length > 1 ? ["more than anyOf"] : []),
      ...(type === "object" && Object.keys((properties ?? {}) as object).length === 0 ? ["an object without keys"] : []),
      ...(constants !== undefined && (constants as unknown[]).some((one) => typeof one !== "string" || one === "")
        ? ["a constant that is no text"]
        : []),
    ];
  },
};

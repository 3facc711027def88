import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { JsonSchema, Validation } from "../kernel/index.ts";
import { compileJsonSchema } from "./compile.ts";
import { SchemaError, type SchemaErrorCode } from "./errors.ts";

function check(schema: JsonSchema, value: unknown): Validation {
  return compileJsonSchema(schema)(value) as Validation;
}

function isValid(schema: JsonSchema, value: unknown): boolean {
  return check(schema, value).valid;
}

function refusal(schema: JsonSchema): { code: SchemaErrorCode; message: string } {
  try {
    compileJsonSchema(schema);
  } catch (error) {
    if (error instanceof SchemaError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("It was not refused");
}

describe("values", () => {
  const schema = {
    type: "object",
    properties: {
      limit: { type: "integer", default: 5 },
      options: { type: "object", properties: { deep: { default: { a: [1] } } }, default: {} },
      list: { type: "array", items: { properties: { on: { default: true } } } },
    },
  };

  test("compileJsonSchema() fills defaults into a copy", () => {
    const given = Object.freeze({ list: Object.freeze([Object.freeze({})]) });
    expect(check(schema, given)).toEqual({
      valid: true,
      value: { limit: 5, options: { deep: { a: [1] } }, list: [{ on: true }] },
    });
    expect(given).toEqual({ list: [{}] });
  });

  test("compileJsonSchema() gives every call defaults of its own", () => {
    const validate = compileJsonSchema(schema);
    const [first, second] = [validate({}), validate({})] as {
      value: { options: { deep: { a: number[] } } };
    }[];
    first?.value.options.deep.a.push(2);
    expect(second?.value.options.deep).toEqual({ a: [1] });
    expect(check(schema, {})).toMatchObject({ value: { options: { deep: { a: [1] } } } });
  });

  test("compileJsonSchema() returns the value itself where the schema has no defaults", () => {
    const given = { a: {} };
    expect(check({ type: "object" }, given)).toEqual({ valid: true, value: given });
    expect((check({ type: "object" }, given) as { value: unknown }).value).toBe(given);
  });

  test("compileJsonSchema() fills in nothing where a default would itself be at fault", () => {
    const wrong = {
      type: "object",
      properties: { a: { type: "string", default: null }, b: { type: "integer" } },
    };
    expect(check(wrong, { b: 1 })).toEqual({ valid: true, value: { b: 1 } });
    expect(check(wrong, { b: "x" })).toEqual({
      valid: false,
      issues: [{ path: ["b"], message: "must be an integer" }],
    });
  });

  test("compileJsonSchema() keeps what is no JSON in a value it copies", () => {
    const when = new Date(0);
    expect(check({ properties: { a: { default: 1 } } }, { when })).toEqual({
      valid: true,
      value: { when, a: 1 },
    });
  });

  test("compileJsonSchema() takes no inherited property for a given one", () => {
    expect(isValid({ type: "object", required: ["toString"] }, {})).toBe(false);
    expect(isValid({ type: "object", properties: { constructor: { type: "string" } } }, {})).toBe(true);
    const given = JSON.parse('{"__proto__":{"admin":true}}') as object;
    const { value } = check({ type: "object", properties: { a: { default: 1 } } }, given) as {
      value: object;
    };
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true},"a":1}');
    expect("admin" in value).toBe(false);
  });

  test("compileJsonSchema() finds equal items without comparing each pair", () => {
    const items = Array.from({ length: 100_000 }, (_, index) => ({ a: { b: index } }));
    expect(isValid({ type: "array", uniqueItems: true }, items)).toBe(true);
    expect(isValid({ type: "array", uniqueItems: true }, [...items, { a: { b: 99_999 } }])).toBe(false);
    expect(
      isValid({ uniqueItems: true }, [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
    ).toBe(false);
    expect(isValid({ uniqueItems: true }, [1, "1", [1], { a: 1 }, true, null, "null"])).toBe(true);
  });

  test("compileJsonSchema() counts in decimals as people do", () => {
    for (const value of [4.35, 1.13, 0.07, 1e6, -2.5])
      expect(isValid({ multipleOf: 0.01 }, value)).toBe(true);
    for (const value of [4.355, 0.001, 1e-9]) expect(isValid({ multipleOf: 0.01 }, value)).toBe(false);
  });
});

const inherited = ["constructor", "toString", "valueOf", "hasOwnProperty", "__defineGetter__", "__proto__"];

test.each(inherited)("compileJsonSchema() takes %s for a name like any other", (name) => {
  const asKey = (value: unknown) =>
    JSON.parse(JSON.stringify({ $: value }).replaceAll('"$":', `"${name}":`)) as JsonSchema;
  expect(
    isValid(
      { type: "object", ...asKey({ a: 1 }), properties: { a: { type: "string", format: name } } },
      { a: "x" },
    ),
  ).toBe(true);
  expect(
    isValid({ properties: { a: { $ref: `#/$defs/${name}` } }, $defs: asKey({ type: "string" }) }, { a: 1 }),
  ).toBe(false);
  expect(isValid({ required: [name] }, {})).toBe(false);
  expect(
    isValid({ required: [name], additionalProperties: false, patternProperties: { "^.": true } }, asKey(1)),
  ).toBe(true);
});

describe("dialects", () => {
  test.each([
    ["http://json-schema.org/draft-07/schema#", { items: [{ type: "string" }] }, [1]],
    ["https://json-schema.org/draft-07/schema", { dependencies: { a: ["b"] } }, { a: 1 }],
    ["http://json-schema.org/draft-06/schema#", { contains: { const: 1 } }, [2]],
    ["https://json-schema.org/draft/2019-09/schema", { dependentRequired: { a: ["b"] } }, { a: 1 }],
    ["https://json-schema.org/draft/2020-12/schema", { prefixItems: [{ type: "string" }] }, [1]],
  ])("compileJsonSchema() knows %s", ($schema, schema, wrong) => {
    expect(isValid({ $schema, ...schema }, wrong)).toBe(false);
    expect(isValid({ $schema, ...schema }, ["x", 1])).toBe(true);
  });

  test("compileJsonSchema() refuses a dialect it does not know", () => {
    expect(refusal({ $schema: "https://example.com/schema" })).toEqual({
      code: "SCHEMA_DIALECT",
      message:
        'Cannot compile the schema: its dialect "https://example.com/schema" is not known; use 2020-12 or draft-07',
    });
    for (const $schema of [
      7,
      null,
      "",
      "constructor",
      "https://__proto__",
      "http://json-schema.org/draft-04/schema#",
    ]) {
      expect(refusal({ $schema }).code).toBe("SCHEMA_DIALECT");
    }
  });

  test("compileJsonSchema() passes over keywords and formats of vendors", () => {
    const schema = {
      type: "object",
      "x-order": 1,
      id: "old",
      properties: { a: { type: "string", format: "vendor-id" } },
    };
    expect(isValid(schema, { a: "x" })).toBe(true);
  });

  test.each([
    [{ type: "strng" }, /"\/type" must be equal to one of the allowed values/],
    [{ properties: { a: 5 } }, /"\/properties\/a" must be object,boolean/],
    [{ type: "object", required: "a" }, /"\/required" must be array/],
    [{ minLength: -1 }, /"\/minLength" must be >= 0/],
    [{ $async: true, type: "object" }, /"\$async" is not allowed/],
  ])("compileJsonSchema() refuses the malformed schema %j", (schema, words) => {
    expect(refusal(schema)).toEqual({
      code: "SCHEMA_INVALID",
      message: expect.stringMatching(words) as string,
    });
  });
});

describe("references", () => {
  test("compileJsonSchema() fetches nothing", () => {
    expect(refusal({ properties: { a: { $ref: "http://127.0.0.1:9/schema.json" } } })).toEqual({
      code: "SCHEMA_REFERENCE",
      message:
        'Cannot compile the schema: its reference "http://127.0.0.1:9/schema.json" leads nowhere; only references within the schema are followed',
    });
    expect(refusal({ $ref: "#/$defs/none" }).code).toBe("SCHEMA_REFERENCE");
  });

  test("compileJsonSchema() follows references within the schema, and to the published meta-schema", () => {
    const tree = {
      $defs: { node: { properties: { next: { $ref: "#/$defs/node" }, n: { type: "integer" } } } },
      $ref: "#/$defs/node",
    };
    expect(isValid(tree, { next: { next: { n: 1 } } })).toBe(true);
    expect(isValid(tree, { next: { next: { n: "x" } } })).toBe(false);
    const meta = { properties: { schema: { $ref: "https://json-schema.org/draft/2020-12/schema" } } };
    expect(isValid(meta, { schema: { type: "string" } })).toBe(true);
    expect(isValid(meta, { schema: { type: 5 } })).toBe(false);
  });

  test("compileJsonSchema() keeps the ids of one schema from another", () => {
    const named = (type: string) => ({
      $id: "https://example.com/same",
      $defs: { v: { $id: "value.json", type } },
      $ref: "value.json",
    });
    const [text, number] = [compileJsonSchema(named("string")), compileJsonSchema(named("number"))];
    expect([text("x"), number(1)]).toMatchObject([{ valid: true }, { valid: true }]);
    expect([text(1), number("x")]).toMatchObject([{ valid: false }, { valid: false }]);
    expect(refusal({ $ref: "https://example.com/value.json" }).code).toBe("SCHEMA_REFERENCE");
  });

  test.each([
    ["itself", { $ref: "#" }],
    [
      "a pair",
      { $defs: { a: { $ref: "#/$defs/b" }, b: { anyOf: [{ $ref: "#/$defs/a" }] } }, $ref: "#/$defs/a" },
    ],
  ])("compileJsonSchema() refuses a schema that refers to %s in a circle", (_, schema) => {
    expect(refusal(schema)).toEqual({
      code: "SCHEMA_REFERENCE",
      message: "Cannot compile the schema: its references run in a circle; let one lead into the value",
    });
  });

  test("compileJsonSchema() stops a check whose references multiply", () => {
    const twice = (name: string) => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
    const levels = Array.from({ length: 40 }, (_, index): [string, unknown] => [
      `l${index}`,
      twice(`l${index + 1}`),
    ]);
    const laughs = {
      $defs: { ...Object.fromEntries(levels), l40: { type: ["object", "string"] } },
      properties: { a: { $ref: "#/$defs/l0" } },
    };
    const tree = { $defs: { t: { items: twice("t") } }, $ref: "#/$defs/t" };
    const nested = JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`) as unknown;
    const message = "cannot be checked: it takes more than 250000 steps through the schema's references";
    expect(check(laughs, { a: "x" })).toEqual({ valid: false, issues: [{ path: [], message }] });
    expect(check(tree, nested)).toEqual({ valid: false, issues: [{ path: [], message }] });
    expect(isValid(laughs, { b: 1 })).toBe(true);
  });

  test("compileJsonSchema() answers for a value nested a hundred thousand deep", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown;
    const issues = [{ path: [], message: "cannot be checked: it is nested too deeply" }];
    expect(check({ $defs: { t: { items: { $ref: "#/$defs/t" } } }, $ref: "#/$defs/t" }, deep)).toEqual({
      valid: false,
      issues,
    });
    expect(check({ type: "array", default: [], items: { type: "array" } }, deep)).toEqual({
      valid: false,
      issues,
    });
    expect(isValid({ type: "array" }, deep)).toBe(true);
  });
});

describe("bounds of the schema", () => {
  test("compileJsonSchema() refuses a schema nested too deeply", () => {
    const deep = JSON.parse(`${'{"items":'.repeat(200_000)}{}${"}".repeat(200_000)}`) as JsonSchema;
    expect(refusal(deep)).toEqual({
      code: "SCHEMA_TOO_LARGE",
      message:
        "Cannot compile the schema: it is nested more than 128 levels deep; split the tool or describe less",
    });
  });

  test("compileJsonSchema() refuses a schema of too many parts, and one that holds itself", () => {
    const wide = {
      properties: Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`k${index}`, true])),
    };
    expect(refusal(wide).code).toBe("SCHEMA_TOO_LARGE");
    const circle: Record<string, unknown> = {};
    circle["not"] = circle;
    expect(refusal(circle).code).toBe("SCHEMA_TOO_LARGE");
  });
});

test("compileJsonSchema() loads its libraries at the first compile, not before", () => {
  const source = `
    import { createRequire } from "node:module";
    const { cache } = createRequire(import.meta.url);
    const { compileJsonSchema } = await import(${JSON.stringify(new URL("index.ts", import.meta.url).href)});
    const loaded = () => ["ajv", "re2js"].map((name) => Object.keys(cache).some((file) => file.includes(name)));
    const steps = [loaded()];
    compileJsonSchema({ type: "object" })({});
    steps.push(loaded());
    compileJsonSchema({ pattern: "a" })("a");
    steps.push(loaded());
    console.log(JSON.stringify(steps));
  `;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", source], { encoding: "utf8" });
  expect(JSON.parse(output)).toEqual([
    [false, false],
    [true, false],
    [true, true],
  ]);
});

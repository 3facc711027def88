import { type } from "arktype";
import Type from "typebox";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { type FromJsonSchema, isStandardSchema, standardValidate, toJsonSchema } from "./schema.ts";

const zod = z.object({ path: z.string(), limit: z.int().min(1).default(10) });
const ark = type({ path: "string", "limit?": "number" });

describe("toJsonSchema()", () => {
  test("asks a Standard Schema for what it takes, not for what it gives", () => {
    expect(toJsonSchema(zod)).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        path: { type: "string" },
        limit: { type: "integer", minimum: 1, maximum: 9007199254740991, default: 10 },
      },
      required: ["path"],
    });
    expect(toJsonSchema(ark)).toMatchObject({ type: "object", required: ["path"] });
  });

  test("gives raw JSON Schema back as it is", () => {
    const raw = { type: "object" };
    expect(toJsonSchema(raw)).toBe(raw);
    const typed = Type.Object({ path: Type.String() });
    expect(toJsonSchema(typed)).toBe(typed);
    expect([isStandardSchema(raw), isStandardSchema(zod), isStandardSchema(ark)]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe("standardValidate()", () => {
  test("returns the value with defaults and conversions applied", () => {
    expect(standardValidate(zod)({ path: "a" })).toEqual({ valid: true, value: { path: "a", limit: 10 } });
    const length = z.object({ text: z.string().transform((text) => text.length) });
    expect(standardValidate(length)({ text: "abc" })).toEqual({ valid: true, value: { text: 3 } });
  });

  test("returns the path and the validator's own words for each fault", () => {
    expect(
      standardValidate(z.object({ list: z.array(zod) }))({ list: [{ path: "a" }, { limit: 0 }] }),
    ).toEqual({
      valid: false,
      issues: [
        { path: ["list", 1, "path"], message: "Invalid input: expected string, received undefined" },
        { path: ["list", 1, "limit"], message: "Too small: expected number to be >=1" },
      ],
    });
    expect(standardValidate(ark)({ path: 1 })).toEqual({
      valid: false,
      issues: [{ path: ["path"], message: "path must be a string (was a number)" }],
    });
  });

  test("waits for a validator that answers later", async () => {
    const later = z.object({ name: z.string().refine(async (name) => name !== "taken", "is taken") });
    await expect(standardValidate(later)({ name: "free" })).resolves.toEqual({
      valid: true,
      value: { name: "free" },
    });
    await expect(standardValidate(later)({ name: "taken" })).resolves.toEqual({
      valid: false,
      issues: [{ path: ["name"], message: "is taken" }],
    });
  });

  test("reads paths whose parts are objects, and symbols", () => {
    const issues = [{ message: "no", path: [{ key: "a" }, 0, Symbol("s")] }, { message: "nowhere" }];
    const schema = {
      "~standard": {
        version: 1 as const,
        vendor: "test",
        validate: () => ({ issues }),
        jsonSchema: { input: () => ({}) },
      },
    };
    expect(standardValidate(schema)(1)).toEqual({
      valid: false,
      issues: [
        { path: ["a", 0, "Symbol(s)"], message: "no" },
        { path: [], message: "nowhere" },
      ],
    });
  });
});

test("FromJsonSchema has the type that a literal schema describes", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string" },
      count: { type: "integer" },
      mode: { enum: ["fast", "slow"] },
      kind: { const: "k" },
      tags: { type: "array", items: { type: "string" } },
      either: { anyOf: [{ type: "boolean" }, { type: "null" }] },
      nested: { type: "object", properties: { deep: { type: "number" } }, required: ["deep"] },
    },
    required: ["name", "mode"],
  } as const;
  expectTypeOf<FromJsonSchema<typeof schema>>().branded.toEqualTypeOf<{
    name: string;
    mode: "fast" | "slow";
    count?: number;
    kind?: "k";
    tags?: string[];
    either?: boolean | null;
    nested?: { deep: number };
  }>();
});

test("FromJsonSchema never narrows by a keyword it does not follow", () => {
  expectTypeOf<FromJsonSchema<{ type: ["string", "null"] }>>().toEqualTypeOf<unknown>();
  expectTypeOf<FromJsonSchema<{ type: "string"; nullable: true }>>().toEqualTypeOf<unknown>();
  expectTypeOf<
    FromJsonSchema<{ type: "array"; prefixItems: [{ type: "string" }]; items: { type: "number" } }>
  >().toEqualTypeOf<unknown[]>();
  expectTypeOf<FromJsonSchema<{ $ref: "#/$defs/a" }>>().toEqualTypeOf<unknown>();
  expectTypeOf<FromJsonSchema<{ type: "object"; additionalProperties: { type: "string" } }>>().toEqualTypeOf<
    Record<string, unknown>
  >();
});

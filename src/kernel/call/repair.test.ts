import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../base/index.ts";
import type { ValidationIssue } from "../tool/schema.ts";
import { repairArguments } from "./repair.ts";

const message = "is at fault";

function repair(params: unknown, schema: JsonSchema, ...paths: readonly ValidationIssue["path"][]) {
  return repairArguments(
    params,
    paths.map((path) => ({ path, message })),
    schema,
  );
}

const parameters = {
  type: "object",
  properties: {
    limit: { type: "integer", minimum: 1 },
    ratio: { type: "number" },
    force: { type: "boolean" },
    mode: { enum: ["Fast", "slow"] },
    kind: { const: "File" },
    filter: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    tags: { type: "array", items: { type: "string" } },
    text: { type: "string", minLength: 10 },
    note: { type: ["string", "null"] },
    either: { anyOf: [{ type: "integer" }, { type: "array" }] },
    textOrNumber: { anyOf: [{ type: "string", format: "date" }, { type: "number" }] },
    options: { $ref: "#/$defs/options" },
  },
  required: ["limit", "text"],
  $defs: { options: { type: "object", properties: { depth: { type: "integer" } } } },
};

describe("what is put right", () => {
  test.each([
    ["limit", "5", 5, 'limit: read the text "5" as the number 5'],
    ["limit", "-0", -0, 'limit: read the text "-0" as the number 0'],
    ["ratio", "2.5e-1", 0.25, 'ratio: read the text "2.5e-1" as the number 0.25'],
    ["force", "true", true, 'force: read the text "true" as the boolean true'],
    ["force", "false", false, 'force: read the text "false" as the boolean false'],
    ["mode", "FAST", "Fast", 'mode: read "FAST" as "Fast"'],
    ["kind", "file", "File", 'kind: read "file" as "File"'],
    ["filter", '{"name":"x"}', { name: "x" }, "filter: read the JSON text as an object"],
    ["tags", '["a"]', ["a"], "tags: read the JSON text as an array"],
    ["either", "7", 7, 'either: read the text "7" as the number 7'],
    ["either", "[7]", [7], "either: read the JSON text as an array"],
  ])("repairArguments() reads %s given as %j", (key, given, value, note) => {
    expect(repair({ [key]: given }, parameters, [key])).toEqual({ params: { [key]: value }, notes: [note] });
  });

  test("repairArguments() reads a number as text only where that is asked for", () => {
    const issues = [{ path: ["text"], message }];
    expect(repairArguments({ text: 12 }, issues, parameters, { numbersAsText: true })).toEqual({
      params: { text: "12" },
      notes: ["text: read the number 12 as text"],
    });
    const date = [{ path: ["textOrNumber"], message }];
    expect(
      repairArguments({ textOrNumber: Number.NaN }, date, parameters, { numbersAsText: true }),
    ).toBeUndefined();
  });

  test("repairArguments() reads arguments that came as one JSON text", () => {
    expect(repair('{"limit":5,"text":"0123456789"}', parameters, [])).toEqual({
      params: { limit: 5, text: "0123456789" },
      notes: ["arguments: read the JSON text as an object"],
    });
  });

  test("repairArguments() leaves out null for an optional parameter that does not take it", () => {
    expect(repair({ ratio: null, note: null }, parameters, ["ratio"])).toEqual({
      params: { note: null },
      notes: ["ratio: left out null"],
    });
  });

  test("repairArguments() mends several faults, also inside objects, arrays and references", () => {
    const schema = {
      type: "object",
      properties: { list: { type: "array", items: parameters.properties.options }, on: { type: "boolean" } },
      $defs: parameters.$defs,
    };
    const params = { list: [{ depth: 1 }, { depth: "2" }], on: "true" };
    expect(repair(params, schema, ["list", 1, "depth"], ["on"])).toEqual({
      params: { list: [{ depth: 1 }, { depth: 2 }], on: true },
      notes: [
        'list.1.depth: read the text "2" as the number 2',
        'on: read the text "true" as the boolean true',
      ],
    });
  });
});

describe("what is left alone", () => {
  test.each([
    ["limit", "0x10"],
    ["limit", "5.5"],
    ["limit", " 5"],
    ["limit", "05"],
    ["limit", "+5"],
    ["limit", "1_000"],
    ["limit", ""],
    ["limit", "Infinity"],
    ["limit", "9007199254740993"],
    ["ratio", "NaN"],
    ["ratio", "1e999"],
    ["ratio", "12345678901234567890"],
    ["force", "yes"],
    ["force", "True"],
    ["force", 1],
    ["mode", "medium"],
    ["filter", "name=x"],
    ["filter", '{"name":1}'],
    ["filter", "[]"],
    ["tags", "a,b"],
    ["text", 12],
    ["text", true],
    ["text", null],
    ["limit", null],
    ["textOrNumber", "5"],
  ])("repairArguments() does not guess at %s given as %j", (key, given) => {
    expect(repair({ [key]: given }, parameters, [key])).toBeUndefined();
  });

  test("repairArguments() does nothing where two readings are possible", () => {
    const schema = {
      type: "object",
      properties: { mode: { enum: ["Ab", "aB"] }, n: { anyOf: [{ enum: ["X"] }, { enum: ["x "] }] } },
    };
    expect(repair({ mode: "AB" }, schema, ["mode"])).toBeUndefined();
    expect(repair({ n: "x" }, schema, ["n"])).toEqual({ params: { n: "X" }, notes: ['n: read "x" as "X"'] });
  });

  test("repairArguments() does nothing for a path that the schema or the value has not", () => {
    expect(repair({ other: "5" }, parameters, ["other"], ["limit"], ["limit", "deep", 3])).toBeUndefined();
  });

  test("repairArguments() mends at most 16 faults", () => {
    const schema = { type: "object", additionalProperties: { type: "integer" } };
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const repaired = repair(
      Object.fromEntries(keys.map((key) => [key, "1"])),
      schema,
      ...keys.map((key) => [key]),
    );
    expect(repaired?.notes).toHaveLength(16);
    expect(Object.values(repaired?.params as object).filter((value) => value === "1")).toHaveLength(4);
  });

  test("repairArguments() treats __proto__ as a key like any other", () => {
    const schema = { type: "object", additionalProperties: { type: "integer" } };
    const repaired = repair(JSON.parse('{"__proto__":"1"}'), schema, ["__proto__"]);
    expect(JSON.stringify(repaired?.params)).toBe('{"__proto__":1}');
    expect(Object.getPrototypeOf(repaired?.params)).toBe(Object.prototype);
  });

  test("repairArguments() survives JSON text nested a hundred thousand deep", () => {
    const text = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(repair({ tags: text }, parameters, ["tags"])).toBeUndefined();
    expect(repair({ either: text }, parameters, ["either"])?.notes).toEqual([
      "either: read the JSON text as an array",
    ]);
  });
});

test("repairArguments() never changes the arguments it was given", () => {
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom("5", "true", '{"name":"x"}', "[]", "FAST", null));
  const args = fc.dictionary(fc.constantFrom(...Object.keys(parameters.properties)), value);
  fc.assert(
    fc.property(args, (params) => {
      const before = structuredClone(params);
      repair(params, parameters, ...Object.keys(params).map((key) => [key]));
      expect(params).toEqual(before);
    }),
  );
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../base/index.ts";
import { appendIssues, describeIssues, subschemaAt } from "./validation.ts";

const parameters = {
  type: "object",
  properties: {
    path: { type: "string" },
    options: {
      type: "object",
      properties: { limit: { type: "integer", maximum: 100 }, offset: { type: "integer" } },
      additionalProperties: false,
    },
  },
  required: ["path"],
};

test("appendIssues() puts one issue on the line of its sentence and several below it, with no blank before a line break", () => {
  const issues = ["a", "b"].map((name) => ({ path: [name], message: "is required" }));
  expect(appendIssues("Cannot call it:", issues.slice(1), {}, {})).toBe("Cannot call it: b: is required");
  expect(appendIssues("Cannot call it:", issues, {}, {})).toBe(
    "Cannot call it:\n- a: is required\n- b: is required",
  );
});

describe("describeIssues()", () => {
  test("names the path, what is expected, what was received, and shows the failing part of the schema", () => {
    const params = { path: "a", options: { limit: 500 } };
    expect(
      describeIssues([{ path: ["options", "limit"], message: "must be at most 100" }], params, parameters),
    ).toBe("options.limit: must be at most 100; received integer 500");
  });

  test.each([
    ["Zod", "Invalid input: expected string, received number"],
    ["Valibot", "Invalid type: Expected string but received 5"],
    ["the compiled schema", "must be a string"],
    ["ArkType", "must be a string (was a number)"],
  ])("says once what type is expected, in the words of %s", (_, message) => {
    const text = describeIssues([{ path: ["path"], message }], { path: 5 }, parameters);
    expect(text.match(/string/g)).toHaveLength(1);
    expect(text.match(/5/g)).toHaveLength(1);
    expect(text.match(/received/g)).toHaveLength(1);
  });

  test("shows of the schema what the message does not say", () => {
    const schema = {
      properties: {
        n: { type: "integer", minimum: 1, maximum: 10, description: "How many" },
        m: { type: "string", enum: ["a", "b"] },
      },
    };
    expect(describeIssues([{ path: ["n"], message: "must be at most 10" }], { n: 11 }, schema)).toBe(
      'n: must be at most 10; received integer 11; expected {"type":"integer","minimum":1,"description":"How many"}',
    );
    expect(describeIssues([{ path: ["m"], message: 'must be one of "a", "b"' }], { m: "c" }, schema)).toBe(
      'm: must be one of "a", "b"; received string "c"',
    );
  });

  test("says in plain words what a schema has only words about", () => {
    const mode = {
      enum: ["ask", "auto"],
      description: "ask: the rules decide (default). auto: what is safe runs.",
    };
    const schema = { type: "object", properties: { mode } } as const;
    const issues = [{ path: ["mode"], message: 'must be one of "ask", "auto"' }];
    expect(describeIssues(issues, { mode: 3 }, schema)).toBe(
      'mode: must be one of "ask", "auto"; received integer 3; ask: the rules decide (default). auto: what is safe runs.',
    );
  });

  test("says that a parameter is required where it is missing, and once", () => {
    const message = "Invalid input: expected string, received undefined";
    expect(describeIssues([{ path: ["path"], message }], {}, parameters)).toBe(
      'path: is required; expected {"type":"string"}',
    );

    expect(describeIssues([{ path: ["path"], message: "is required" }], {}, parameters)).toBe(
      'path: is required; expected {"type":"string"}',
    );
  });

  test.each([
    ["by its own path", { path: ["options", "limt"], message: "is not a known parameter" }],
    ["in the message of its object", { path: ["options"], message: 'Unrecognized key: "limt"' }],
  ])("suggests the nearest key for an unknown one that a validator names %s", (_, issue) => {
    expect(describeIssues([issue], { options: { limt: 1 } }, parameters)).toBe(
      'options.limt: is not a known parameter; did you mean "limit"; others: offset',
    );
  });

  test("lists several unknown keys of one object together", () => {
    const issue = { path: ["options"], message: 'Unrecognized keys: "max", "ofset"' };
    expect(describeIssues([issue], { options: { max: 1, ofset: 2 } }, parameters)).toBe(
      'options.max, options.ofset: are not known parameters; did you mean "offset"; others: limit',
    );
  });

  test("puts several faults on lines of their own, and counts those after the fifth", () => {
    const issues = Array.from({ length: 7 }, (_, index) => ({
      path: ["list", index],
      message: "must be a string",
    }));
    const schema = { type: "object", properties: { list: { type: "array", items: { type: "string" } } } };
    const lines = describeIssues(issues, { list: [0, 1, 2, 3, 4, 5, 6] }, schema).split("\n- ");
    expect(lines).toEqual([
      "",
      ...[0, 1, 2, 3, 4].map((n) => `list.${n}: must be a string; received integer ${n}`),
      "2 more faults",
    ]);
  });

  test("cuts what was received at 80 characters, between characters", () => {
    const text = describeIssues(
      [{ path: ["path"], message: "must be short" }],
      { path: "😀".repeat(100) },
      parameters,
    );
    const received = /received string (.*); expected/u.exec(text)?.[1] ?? "";
    expect(received.length).toBeLessThanOrEqual(80);
    expect(received.isWellFormed()).toBe(true);
    expect(received.endsWith("…")).toBe(true);
  });

  test("shows a large part of the schema without its prose, or in outline", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [
        `key${index}`,
        { type: "string", description: "Words ".repeat(20) },
      ]),
    );
    const schema = {
      type: "object",
      properties: { a: { type: "object", properties, required: ["key0"], description: "Prose" } },
    };
    expect(describeIssues([{ path: ["a"], message: "must be an object" }], { a: 1 }, schema)).toBe(
      `a: must be an object; received integer 1; expected {"type":"object","required":["key0"],"properties":${JSON.stringify(Object.keys(properties))}}`,
    );
  });

  test("describes arguments that are no object, no JSON, or nested without end", () => {
    const issue = { path: [], message: "must be an object" };
    expect(describeIssues([issue], "text", {})).toBe('arguments: must be an object; received string "text"');
    expect(describeIssues([issue], 1n, {})).toBe(
      "arguments: must be an object; received bigint [not a JSON value]",
    );
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown;
    expect(describeIssues([issue], deep, {})).toBe(
      "arguments: must be an object; received array [not a JSON value]",
    );
  });

  test("stays short whatever it is told", () => {
    const anyIssue = fc.record({
      path: fc.array(fc.oneof(fc.string(), fc.nat())),
      message: fc.string({ maxLength: 100 }),
    });
    fc.assert(
      fc.property(
        fc.array(anyIssue),
        fc.jsonValue(),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (issues, params, schema) => {
          expect(describeIssues(issues, params, schema).length).toBeLessThan(8_000);
        },
      ),
    );
  });
});

describe("subschemaAt()", () => {
  const schema: JsonSchema = {
    type: "object",
    properties: {
      list: { type: "array", items: { $ref: "#/$defs/entry" } },
      pair: { prefixItems: [{ type: "string" }, { type: "integer" }], items: { type: "boolean" } },
      old: { items: [{ type: "string" }], additionalItems: { type: "null" } },
      map: { additionalProperties: { type: "number" } },
      union: { anyOf: [{ type: "string" }, { properties: { a: { const: 1 } } }, { $ref: "#/$defs/entry" }] },
    },
    $defs: {
      entry: {
        allOf: [{ properties: { name: { type: "string" } } }],
        properties: { next: { $ref: "#/$defs/entry" } },
      },
    },
  };

  test.each([
    [["list", 0, "next", "next", "name"], { type: "string" }],
    [["pair", 1], { type: "integer" }],
    [["pair", 5], { type: "boolean" }],
    [["old", 0], { type: "string" }],
    [["old", 1], { type: "null" }],
    [["map", "any"], { type: "number" }],
    [["union", "a"], { const: 1 }],
    [["union", "name"], { type: "string" }],
  ])("follows %j", (path, expected) => {
    expect(subschemaAt(schema, path)).toEqual(expected);
  });

  test.each([[["nothing"]], [["list", 0, "nothing"]], [["map", "any", "deeper"]], [["union", "toString"]]])(
    "finds nothing at %j",
    (path) => {
      expect(subschemaAt(schema, path)).toBeUndefined();
    },
  );

  test("ends where references run in a circle", () => {
    const circle = {
      anyOf: [{ $ref: "#" }, { $ref: "#" }],
      $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
    };
    expect(subschemaAt(circle, ["a", "b"])).toBeUndefined();
    expect(subschemaAt({ $ref: "#/$defs/a", ...circle }, ["a"])).toBeUndefined();
  });
});

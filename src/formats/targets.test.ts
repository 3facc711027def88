import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../base/index.ts";
import { type DescribedTool, type LLMTarget, llmTargets } from "../kernel/registry/tool-formats.ts";
import { toTargetTool } from "./targets.ts";

type ModelTarget = Exclude<LLMTarget, "mcp">;

const tool: DescribedTool = { name: "t", description: "T.", annotations: {} };

function makeDefinition(
  schema: JsonSchema,
  target: ModelTarget,
): { description: string; parameters: JsonSchema } {
  const { definition } = toTargetTool(tool, schema, target);
  if ("function" in definition) return definition.function;
  const { description } = definition;
  if ("input_schema" in definition) return { description, parameters: definition.input_schema };
  return { description, parameters: definition.parameters ?? {} };
}

function readParameters(schema: JsonSchema, target: ModelTarget): JsonSchema {
  return makeDefinition(schema, target).parameters;
}

/** What becomes of one parameter named `p`. */
function parameter(schema: unknown, target: ModelTarget, more: JsonSchema = {}): unknown {
  const whole = { type: "object", properties: { p: schema }, required: ["p"], ...more };
  return (readParameters(whole, target)["properties"] as Record<string, unknown>)["p"];
}

describe("wire forms", () => {
  const schema = {
    type: "object",
    properties: {
      path: { type: "string", description: "Where" },
      limit: { type: "integer", minimum: 1, default: 9 },
    },
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
      definition: {
        type: "function",
        function: { name: "read_file", description: "Read.", parameters: schema },
      },
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
    expect(toTargetTool(tool, { type: "object" }, "gemini")).toEqual({
      definition: { name: "t", description: "T." },
    });
  });

  test("toTargetTool() passes the whole schema on for mcp, with what the tool says of itself", () => {
    const whole = { ...schema, $defs: { a: { type: "string" } }, if: { required: ["limit"] }, else: {} };
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
    expect(readParameters(tree, "openai")).toEqual({
      type: "object",
      properties: { start: { ...node(node(cut)), description: "Where to begin" } },
    });
  });

  test("toTargetTool() lets a model go deeper than the cut by JSON text", () => {
    const { restore } = toTargetTool(tool, tree, "openai-strict");
    const written = { start: { name: "a", next: { name: null, next: '{"name":"c","next":{"name":"d"}}' } } };
    expect(restore?.(written)).toEqual({
      start: { name: "a", next: { next: { name: "c", next: { name: "d" } } } },
    });
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

  test.each(llmTargets)(
    "toTargetTool() for %s refuses a reference that leads nowhere, or out of the schema",
    (target) => {
      for (const $ref of ["#/$defs/none", "https://example.com/schema.json", "#none", "../other.json#/a"]) {
        const schema = { type: "object", properties: { p: { $ref } } };
        expect(() => toTargetTool(tool, schema, target)).toThrow(
          new TypeError(
            `Cannot follow the reference "${$ref}": the schema has no such part, and only local ones are followed`,
          ),
        );
      }
    },
  );
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
        {
          properties: { kind: { const: "url" }, url: { type: "string" }, wait: { type: "integer" } },
          required: ["kind", "url"],
        },
      ],
    };
    for (const target of ["openai", "anthropic"] as const) {
      expect(makeDefinition(schema, target)).toMatchObject({
        description:
          'T.\n\nArguments: give one of: {"kind": "file", "path"} or {"kind": "url", "url", "wait"?}',
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
    expect(makeDefinition(schema, "anthropic")).toEqual({
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
    const schema = {
      oneOf: [branch("a", { x: { type: ["string", "null"] } }), branch("b", { y: { type: "string" } })],
    };
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
    expect(readParameters(schema, "anthropic")).toEqual({
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
      else: { required: ["b"] },
    };
    expect(makeDefinition(schema, "gemini").description).toBe(
      'T.\n\nArguments: "a" needs "b" too; at least 1 key; not an object with "c"; if it is an object with "a" "x", otherwise an object with "b"',
    );
  });
});

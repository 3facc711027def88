import { type as arktype } from "arktype";
import { Type } from "typebox";
import * as v from "valibot";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { createTestExecutor } from "../../../test/support/test-executor.ts";
import type { ToolContext } from "../call/context.ts";
import type { StandardSchema } from "./schema.ts";
import { type DefinedTool, defineTool, type Tool } from "./tool.ts";
import { toolCategories } from "./tool-info.ts";

const named = (name: string) => ({ name, description: `Use ${name}.` });

/** What `toStandardJsonSchema` of `@valibot/to-json-schema` gives, for this one schema. */
function withJsonSchema<Schema extends v.GenericSchema>(
  schema: Schema,
  json: Record<string, unknown>,
): StandardSchema<v.InferInput<Schema>, v.InferOutput<Schema>> {
  return { "~standard": { ...schema["~standard"], jsonSchema: { input: () => json } } };
}

describe("types flow from the schema into execute, without a cast", () => {
  const json = {
    type: "object",
    properties: { path: { type: "string" }, limit: { type: "number" } },
    required: ["path"],
  } as const;

  test("defineTool() types the arguments by a Zod schema, with its defaults applied", async () => {
    const tool = defineTool({
      ...named("zod"),
      parameters: z.object({
        path: z.string(),
        limit: z.number().default(5),
        mode: z.enum(["a", "b"]).optional(),
      }),
      timeoutMs: ({ limit }) => limit,
      effects: ({ path }) => [{ kind: "read", target: path, within: true }],
      locks: ({ path }) => [{ key: path, mode: "shared" }],
      execute: (given) => {
        expectTypeOf(given).toEqualTypeOf<{ path: string; limit: number; mode?: "a" | "b" | undefined }>();
        // @ts-expect-error: not in the schema
        void given.nothing;
        return given;
      },
    });
    const { executor } = createTestExecutor([tool]);
    expect(await executor.execute("zod", { path: "a" })).toMatchObject({ result: { path: "a", limit: 5 } });
  });

  test("defineTool() gives every function of a tool the arguments that execute gets", async () => {
    const given: number[] = [];
    const note = (params: { limit: number }) => {
      given.push(params.limit);
      return params.limit;
    };
    const tool = defineTool({
      ...named("all"),
      parameters: z.object({ limit: z.string().transform(Number) }),
      confirm: true,
      timeoutMs: note,
      effects: (params) => [{ kind: "read", target: `/${note(params)}`, within: true }],
      check: (params) => void note(params),
      locks: (params) => [{ key: `${note(params)}`, mode: "shared" }],
      pool: (params) => ({ name: "all", size: note(params) }),
      execute: (params) => {
        expectTypeOf(params).toEqualTypeOf<{ limit: number }>();
        return note(params);
      },
    });
    const { executor } = createTestExecutor([tool], {
      approver: { identity: "owner:ada", ask: async () => ({ approved: true, by: "owner:ada" }) },
    });
    expect(await executor.execute("all", { limit: "500" })).toMatchObject({ result: 500 });
    expect(new Set(given)).toEqual(new Set([500]));
    expect(given.length).toBeGreaterThanOrEqual(6);
  });

  test("defineTool() types the arguments by what a Zod schema transforms them into", async () => {
    const tool = defineTool({
      ...named("zod"),
      parameters: z.object({ when: z.string().transform((text) => new Date(text)) }),
      execute: ({ when }) => {
        expectTypeOf(when).toEqualTypeOf<Date>();
        return when.getTime();
      },
    });
    const { executor } = createTestExecutor([tool]);
    expect(await executor.execute("zod", { when: "1970-01-01T00:00:01Z" })).toMatchObject({ result: 1000 });
  });

  test("defineTool() types the arguments by an ArkType", async () => {
    const tool = defineTool({
      ...named("arktype"),
      parameters: arktype({ path: "string", limit: "number = 5" }),
      execute: (given) => {
        expectTypeOf(given).toEqualTypeOf<{ path: string; limit: number }>();
        return given;
      },
    });
    const { executor } = createTestExecutor([tool]);
    expect(await executor.execute("arktype", { path: "a" })).toMatchObject({
      result: { path: "a", limit: 5 },
    });
  });

  test("defineTool() types the arguments by a Valibot schema that gives JSON Schema", async () => {
    const tool = defineTool({
      ...named("valibot"),
      parameters: withJsonSchema(v.object({ path: v.string(), limit: v.optional(v.number(), 5) }), json),
      execute: (given) => {
        expectTypeOf(given).toEqualTypeOf<{ path: string; limit: number }>();
        return given;
      },
    });
    const { executor } = createTestExecutor([tool]);
    expect(await executor.execute("valibot", { path: "a" })).toMatchObject({
      result: { path: "a", limit: 5 },
    });
  });

  test("defineTool() types the arguments by a TypeBox schema", async () => {
    const tool = defineTool({
      ...named("typebox"),
      parameters: Type.Object({
        path: Type.String(),
        limit: Type.Optional(Type.Integer()),
        tags: Type.Array(Type.Union([Type.String(), Type.Literal(0)])),
      }),
      execute: (given) => {
        expectTypeOf(given.path).toEqualTypeOf<string>();
        expectTypeOf(given.limit).toEqualTypeOf<number | undefined>();
        expectTypeOf(given.tags).toEqualTypeOf<(string | 0)[]>();
        // @ts-expect-error: not in the schema
        void given.nothing;
        return given;
      },
    });
    const { executor } = createTestExecutor([tool]);
    expect(await executor.execute("typebox", { path: "a", tags: [0] })).toMatchObject({ success: true });
  });

  test("defineTool() types the arguments by literal JSON Schema", async () => {
    const tool = defineTool({
      ...named("raw"),
      parameters: {
        type: "object",
        properties: {
          path: { type: "string" },
          mode: { enum: ["fast", "slow"] },
          size: { anyOf: [{ type: "integer" }, { type: "null" }] },
          items: {
            type: "array",
            items: { type: "object", properties: { id: { const: 7 } }, required: ["id"] },
          },
          strange: { not: { type: "string" } },
        },
        required: ["path", "items"],
      },
      execute: (given) => {
        expectTypeOf(given.path).toEqualTypeOf<string>();
        expectTypeOf(given.mode).toEqualTypeOf<"fast" | "slow" | undefined>();
        expectTypeOf(given.size).toEqualTypeOf<number | null | undefined>();
        expectTypeOf(given.items[0]?.id).toEqualTypeOf<7 | undefined>();
        expectTypeOf(given.strange).toEqualTypeOf<unknown>();
        // @ts-expect-error: not required, so it may be absent
        void (() => given.mode.length);
        // @ts-expect-error: not in the schema
        void given.nothing;
        return given;
      },
    });
    const { executor } = createTestExecutor([tool]);
    expect(await executor.execute("raw", { path: "a", items: [{ id: 7 }] })).toMatchObject({ success: true });
    expect(await executor.execute("raw", { path: "a", items: [{ id: 8 }] })).toMatchObject({
      success: false,
    });
  });

  test("defineTool() does not compile for a schema that gives no JSON Schema", () => {
    const parameters = v.object({ path: v.string() });
    // @ts-expect-error: Valibot's own schemas need `toStandardJsonSchema`
    expect(defineTool({ ...named("valibot"), parameters, execute: () => "" }).name).toBe("valibot");
  });

  test("defineTool() leaves the arguments unknown where the schema's type is not known", () => {
    const parameters: Record<string, unknown> = JSON.parse('{"type":"object"}');
    defineTool({
      ...named("raw"),
      parameters,
      execute: (given) => expectTypeOf(given).toEqualTypeOf<unknown>(),
    });
  });

  test("defineTool() keeps the types for those who call execute themselves", async () => {
    const tool = defineTool({
      ...named("zod"),
      parameters: z.object({ path: z.string() }),
      execute: ({ path }) => path,
    });
    expect(tool.execute({ path: "a" }, {} as ToolContext)).toBe("a");
    // @ts-expect-error: a number is no path
    void (() => tool.execute({ path: 1 }, {} as ToolContext));
    expectTypeOf(tool).toExtend<Tool>();
  });

  test("defineTool() knows the result by what execute returns: a value, a promise, or what a generator ends with", async () => {
    const parameters = z.object({ path: z.string() });
    const value = defineTool({ ...named("value"), parameters, execute: ({ path }) => path.length });
    const promised = defineTool({ ...named("promised"), parameters, execute: async ({ path }) => [path] });
    const streamed = defineTool({
      ...named("streamed"),
      parameters,
      async *execute({ path }) {
        yield { type: "output", text: path } as const;
        return { path };
      },
    });
    expectTypeOf(value).toEqualTypeOf<DefinedTool<typeof parameters, number>>();
    expectTypeOf(promised).toEqualTypeOf<DefinedTool<typeof parameters, string[]>>();
    expectTypeOf(streamed).toEqualTypeOf<DefinedTool<typeof parameters, { path: string }>>();
    const { executor } = createTestExecutor([value, promised, streamed]);
    for (const [name, result] of [
      ["value", 1],
      ["promised", ["a"]],
      ["streamed", { path: "a" }],
    ] as const)
      expect(await executor.execute(name, { path: "a" })).toMatchObject({ success: true, result });
  });

  test("defineTool() makes one tool by another", async () => {
    const first = defineTool({
      ...named("first"),
      parameters: z.object({ path: z.string() }),
      timeoutMs: 5,
      execute: () => "first",
    });
    const second = defineTool({ ...first, name: "second", timeoutMs: ({ path }) => path.length });
    const { executor } = createTestExecutor([first, second]);
    expect(await executor.execute("second", { path: "a" })).toMatchObject({ result: "first" });
  });
});

describe("what a definition may leave out and may not be", () => {
  const minimal = { ...named("echo"), parameters: z.object({}), execute: () => "" };

  test("defineTool() fills in category, annotations and version", () => {
    expect(defineTool(minimal)).toEqual({ ...minimal, category: "custom", annotations: {}, version: "1" });
    const said = { ...minimal, category: "file", annotations: { readOnly: true }, version: "2" };
    expect(defineTool(said)).toEqual(said);
  });

  test.for(["a", "A_b-9", "x".repeat(64), "__proto__"])("defineTool() takes the name %s", (name) => {
    expect(defineTool({ ...minimal, name }).name).toBe(name);
  });

  test.for(["", "a b", "a.b", "naïve", "x".repeat(65), "a\n", "../etc"])(
    "defineTool() refuses the name %j",
    (name) => {
      expect(() => defineTool({ ...minimal, name })).toThrow(
        expect.objectContaining({ code: "TOOL_INVALID", toolName: name }),
      );
    },
  );

  test.for(["", " \n"])("defineTool() refuses the description %j", (description) => {
    expect(() => defineTool({ ...minimal, description })).toThrow(
      expect.objectContaining({ code: "TOOL_INVALID" }),
    );
  });

  test("toolCategories has the usual categories, and any other word is one too", () => {
    expect(toolCategories).toEqual(["system", "file", "network", "data", "memory", "code", "mcp", "custom"]);
    expect(defineTool({ ...minimal, category: "aviation" }).category).toBe("aviation");
  });
});

import { describe, expect, test } from "vitest";
import { toTargetTool } from "../formats/index.ts";
import { defineTool, type JsonSchema, ToolExecutor, ToolRegistry } from "../kernel/index.ts";
import { compileJsonSchema } from "./compile.ts";

const parameters = {
  type: "object",
  properties: {
    path: { type: "string" },
    limit: { type: "integer", minimum: 1, default: 10 },
    mode: { enum: ["fast", "slow"] },
    filter: { type: "object", properties: { name: { type: "string" } } },
    flag: { type: "boolean" },
  },
  required: ["path"],
  additionalProperties: false,
} as const;

/** A tool that returns its arguments, behind the gate. */
function gate(schema: JsonSchema = parameters): ToolExecutor {
  const registry = new ToolRegistry({ compile: compileJsonSchema, format: toTargetTool });
  registry.register(
    defineTool({
      name: "echo",
      description: "Return the arguments.",
      parameters: schema,
      annotations: { readOnly: true, openWorld: false },
      execute: (params) => JSON.stringify(params),
    }),
  );
  return new ToolExecutor(registry);
}

describe("raw JSON Schema at the gate", () => {
  test("ToolExecutor.execute() runs a tool with its defaults filled in", async () => {
    expect(await gate().execute("echo", { path: "a" })).toMatchObject({
      success: true,
      text: '{"path":"a","limit":10}',
      notes: [],
    });
  });

  test("ToolExecutor.execute() repairs arguments visibly", async () => {
    const params = { path: "a", limit: "5", mode: "FAST", filter: '{"name":"x"}', flag: null };
    expect(await gate().execute("echo", params)).toMatchObject({
      success: true,
      text: '{"path":"a","limit":5,"mode":"fast","filter":{"name":"x"}}',
      notes: [
        'limit: read the text "5" as the number 5',
        'mode: read "FAST" as "fast"',
        "filter: read the JSON text as an object",
        "flag: left out null",
      ],
    });
    expect(await gate().execute("echo", '{"path":"b"}')).toMatchObject({
      success: true,
      notes: ["arguments: read the JSON text as an object"],
    });
  });

  test("ToolExecutor.execute() refuses what cannot be repaired, and says what to give", async () => {
    expect(await gate().execute("echo", { path: "a", limit: "many", mod: "fast" })).toMatchObject({
      success: false,
      code: "TOOL_VALIDATION",
      error: [
        'Cannot call "echo" with these arguments:',
        '- mod: is not a known parameter; did you mean "mode"; others: path, limit, filter, flag',
        '- limit: must be an integer; received string "many"; expected {"type":"integer","minimum":1,"default":10}',
      ].join("\n"),
    });
    expect(await gate().execute("echo", {})).toMatchObject({
      error: 'Cannot call "echo" with these arguments: path: is required; expected {"type":"string"}',
    });
  });

  test("ToolExecutor.execute() puts a tool aside whose schema cannot be compiled", async () => {
    expect(
      await gate({ type: "object", properties: { a: { type: "string", pattern: "(?=a)" } } }).execute(
        "echo",
        {},
      ),
    ).toMatchObject({
      success: false,
      code: "TOOL_QUARANTINED",
      error: expect.stringContaining('Cannot compile the pattern "(?=a)"') as string,
    });
  });
});

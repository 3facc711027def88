import { type } from "arktype";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { toTargetTool } from "../../formats/index.ts";
import { compileJsonSchema } from "../../schema/index.ts";
import { defineTool, type Tool } from "../tool/tool.ts";
import { type RegistryEvent, ToolRegistry } from "./registry.ts";
import type { AnthropicTool, GeminiTool, LLMTarget, OpenAITool } from "./tool-formats.ts";

function toolNamed(name: string, part: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({
      name,
      description: `Do ${name}.`,
      parameters: z.object({ text: z.string() }),
      execute: ({ text }) => text,
    }),
    ...part,
  };
}

function createRegistry(...tools: Tool[]): ToolRegistry {
  const registry = new ToolRegistry({ compile: compileJsonSchema, format: toTargetTool });
  registry.registerMany(tools);
  return registry;
}

function listNames(registry: ToolRegistry, target: "anthropic" | "mcp"): string[] {
  return registry.toLLMTools(target).map((definition) => ("name" in definition ? definition.name : ""));
}

const broken = toolNamed("broken", { parameters: { type: "no such type" } });

describe("registering", () => {
  test("ToolRegistry.register() makes a tool known by its name", () => {
    const tool = toolNamed("read_file");
    const registry = createRegistry();
    registry.register(tool);
    expect(registry.get("read_file")).toBe(tool);
    expect(registry.has("read_file")).toBe(true);
    expect(registry.list()).toEqual([tool]);
  });

  test("ToolRegistry.get() gives nothing for a name that nobody took", () => {
    const registry = createRegistry();
    for (const name of ["read_file", "__proto__", "constructor", ""]) {
      expect(registry.get(name)).toBeUndefined();
      expect(registry.has(name)).toBe(false);
    }
  });

  test("ToolRegistry.register() refuses a second tool of a name", () => {
    const first = toolNamed("read_file");
    const registry = createRegistry(first);
    expect(() => registry.register(toolNamed("read_file"))).toThrow(
      expect.objectContaining({ code: "TOOL_DUPLICATE", toolName: "read_file" }),
    );
    expect(registry.get("read_file")).toBe(first);
  });

  test("ToolRegistry.registerMany() registers none if a name is taken, in the registry or in the list itself", () => {
    const registry = createRegistry(toolNamed("a"));
    const before = registry.snapshot();
    expect(() => registry.registerMany([toolNamed("b"), toolNamed("a")])).toThrow(/"a"/);
    expect(() => registry.registerMany([toolNamed("c"), toolNamed("d"), toolNamed("c")])).toThrow(/"c"/);
    expect(registry.snapshot()).toBe(before);
    expect(["b", "c", "d"].filter((name) => registry.has(name))).toEqual([]);
  });

  test("ToolRegistry.register() refuses a handmade tool that model APIs would refuse", () => {
    const registry = createRegistry();
    expect(() => registry.register(toolNamed("ok", { name: "not ok" }))).toThrow(
      expect.objectContaining({ code: "TOOL_INVALID" }),
    );
    expect(registry.list()).toEqual([]);
  });

  test("ToolRegistry.unregister() frees the name and says whether there was such a tool", () => {
    const registry = createRegistry(toolNamed("a"));
    expect(registry.unregister("a")).toBe(true);
    expect(registry.unregister("a")).toBe(false);
    registry.register(toolNamed("a"));
    expect(registry.has("a")).toBe(true);
  });

  test("ToolRegistry.listByCategory() gives the tools of one category, a known one or any other", () => {
    const [read, fly] = [toolNamed("read", { category: "file" }), toolNamed("fly", { category: "aviation" })];
    const registry = createRegistry(read, fly);
    expect(registry.listByCategory("file")).toEqual([read]);
    expect(registry.listByCategory("aviation")).toEqual([fly]);
    expect(registry.listByCategory("memory")).toEqual([]);
  });
});

describe("snapshots", () => {
  test("ToolRegistry.snapshot() does not change when the registry does", () => {
    const registry = createRegistry(toolNamed("a"));
    const before = registry.snapshot();
    registry.register(toolNamed("b"));
    registry.unregister("a");
    const after = registry.snapshot();
    expect(before.tools.map(({ name }) => name)).toEqual(["a"]);
    expect(after.tools.map(({ name }) => name)).toEqual(["b"]);
    expect(after.version).toBeGreaterThan(before.version);
  });

  test("ToolRegistry.snapshot() is the same until something changes, and nobody can change it", () => {
    const registry = createRegistry(toolNamed("a"));
    const snapshot = registry.snapshot();
    expect(registry.snapshot()).toBe(snapshot);
    expect(() => (snapshot.tools as Tool[]).push(toolNamed("b"))).toThrow(TypeError);
    expect(() => Object.assign(snapshot, { version: 0 })).toThrow(TypeError);
    expect(() => (registry.list() as Tool[]).pop()).toThrow(TypeError);
  });

  test("ToolRegistry.list() keeps the order of registration", () => {
    const names = ["z", "a", "m", "10", "2"];
    const registry = createRegistry(...names.map((name) => toolNamed(name)));
    expect(registry.list().map(({ name }) => name)).toEqual(names);
    expect(listNames(registry, "mcp")).toEqual(names);
  });
});

describe("change events", () => {
  test("ToolRegistry.onChange() tells of every change, after it, until it is ended", () => {
    const registry = createRegistry();
    const told: [RegistryEvent, number][] = [];
    const end = registry.onChange((event) => told.push([event, registry.list().length]));
    registry.registerMany([toolNamed("a"), toolNamed("b")]);
    registry.unregister("a");
    registry.unregister("a");
    registry.registerMany([]);
    end();
    registry.register(toolNamed("c"));
    expect(told).toEqual([
      [{ type: "tool.registered", names: ["a", "b"] }, 2],
      [{ type: "tool.unregistered", names: ["a"] }, 1],
    ]);
  });

  test("ToolRegistry.onChange() tells of a tool that had to be put aside, with the reason", () => {
    const registry = createRegistry(broken);
    const told: RegistryEvent[] = [];
    registry.onChange((event) => told.push(event));
    registry.checkAll();
    registry.checkAll();
    expect(told).toEqual([{ type: "tool.quarantined", names: ["broken"], reason: expect.any(String) }]);
  });

  test("ToolRegistry.register() is not harmed by a listener that throws", () => {
    const errors: unknown[] = [];
    const registry = new ToolRegistry({ format: toTargetTool, onError: (error) => errors.push(error) });
    registry.onChange(() => {
      throw new Error("no");
    });
    registry.register(toolNamed("a"));
    expect(registry.has("a")).toBe(true);
    expect(errors).toEqual([new Error("no")]);
  });
});

describe("quarantine", () => {
  const unshowable = toolNamed("unshowable", { parameters: z.object({ when: z.date() }) });
  const halfMade = toolNamed("half_made", { parameters: undefined as never });
  const boobyTrapped = toolNamed("booby_trapped", {
    parameters: {
      get "~standard"(): never {
        throw new Error("boom");
      },
    } as never,
  });

  test("ToolRegistry.checkAll() finds every tool whose schema can't be used, and only those", () => {
    const registry = createRegistry(
      broken,
      toolNamed("a"),
      unshowable,
      halfMade,
      boobyTrapped,
      toolNamed("b"),
    );
    expect(registry.checkAll().map(({ name }) => name)).toEqual([
      "broken",
      "unshowable",
      "half_made",
      "booby_trapped",
    ]);
    expect(registry.quarantined().at(-1)).toEqual({ name: "booby_trapped", reason: "boom" });
    expect(listNames(registry, "mcp")).toEqual(["a", "b"]);
    expect(registry.validate("a", { text: "x" })).toEqual({ valid: true, value: { text: "x" } });
  });

  test("ToolRegistry.register() does not look at a schema before it is needed", () => {
    const registry = createRegistry(boobyTrapped);
    expect(registry.quarantined()).toEqual([]);
    expect(registry.has("booby_trapped")).toBe(true);
  });

  test("ToolRegistry.validate() refuses a tool in quarantine, whichever use found its fault", () => {
    const registry = createRegistry(unshowable);
    expect(registry.validate("unshowable", { when: new Date(0) })).toMatchObject({ valid: true });
    registry.toLLMTools("mcp");
    expect(() => registry.validate("unshowable", { when: new Date(0) })).toThrow(
      expect.objectContaining({ code: "TOOL_QUARANTINED" }),
    );
  });

  test("ToolRegistry.toLLMTools() names what is missing where the registry was given no format", () => {
    const registry = new ToolRegistry();
    const write = () => registry.toLLMTools("mcp");
    expect(write).toThrow(expect.objectContaining({ code: "TARGET_NO_FORMAT" }));
    expect(write).toThrow("the registry was given no `format`");
  });

  test("ToolRegistry.validate() refuses raw JSON Schema where the registry was given nothing to compile it", () => {
    const registry = new ToolRegistry({ format: toTargetTool });
    registry.register(toolNamed("raw", { parameters: { type: "object" } }));
    expect(() => registry.validate("raw", {})).toThrow(expect.objectContaining({ code: "TOOL_QUARANTINED" }));
  });

  test("ToolRegistry.unregister() and register() let a mended tool in", () => {
    const registry = createRegistry(broken);
    registry.checkAll();
    registry.unregister("broken");
    registry.register(toolNamed("broken"));
    expect(registry.checkAll()).toEqual([]);
  });
});

describe("a target", () => {
  /** Only the form of MCP has annotations. */
  // Only MCP's form has annotations, and these cannot be read.
  const bare = toolNamed("bare", { annotations: null as never });

  test("that is unknown is an error that names those there are, and puts no tool aside", () => {
    const registry = createRegistry(toolNamed("a"));
    for (const unknown of ["google", "constructor", "__proto__", ""]) {
      const refusal = expect.objectContaining({
        code: "TARGET_UNKNOWN",
        message: expect.stringContaining(`"${unknown}"`),
      });
      expect(() => registry.toLLMTools(unknown as LLMTarget)).toThrow(refusal);
      expect(() => registry.toLLMTool("a", unknown as LLMTarget)).toThrow(refusal);
      expect(() => registry.fromLLMArguments("a", {}, unknown as LLMTarget)).toThrow(refusal);
    }
    expect(() => registry.toLLMTools("google" as LLMTarget)).toThrow(
      "openai, openai-strict, anthropic, gemini, mcp",
    );
    expect(registry.quarantined()).toEqual([]);
    expect(registry.toLLMTools("gemini")).toHaveLength(1);
    expect(registry.validate("a", { text: "x" })).toMatchObject({ valid: true });
  });

  test("that a tool can't be converted for puts it aside for that target alone", () => {
    const registry = createRegistry(bare, toolNamed("b"));
    const told: RegistryEvent[] = [];
    registry.onChange((event) => told.push(event));
    expect(listNames(registry, "mcp")).toEqual(["b"]);
    expect(registry.toLLMTool("bare", "mcp")).toBeUndefined();
    const reason = expect.any(String);
    expect(told).toEqual([{ type: "tool.quarantined", names: ["bare"], reason, target: "mcp" }]);
    expect(registry.quarantined()).toEqual([{ name: "bare", reason, target: "mcp" }]);
    expect(registry.check("bare")).toEqual(reason);
    expect(registry.getFault("bare")).toBeUndefined();
    for (const target of ["openai", "openai-strict", "anthropic", "gemini"] as const)
      expect(registry.toLLMTools(target)).toHaveLength(2);
    expect(registry.validate("bare", { text: "x" })).toMatchObject({ valid: true });
    expect(registry.getSchema("bare")).toBeDefined();
  });
});

describe("schemas", () => {
  test("ToolRegistry.validate() compiles a schema once, at its first use", () => {
    const compiled: unknown[] = [];
    const registry = new ToolRegistry({
      format: toTargetTool,
      compile: (schema) => {
        compiled.push(schema);
        return compileJsonSchema(schema);
      },
    });
    const schema = { type: "object", required: ["text"] };
    registry.register(toolNamed("raw", { parameters: schema }));
    expect(compiled).toEqual([]);
    expect(registry.validate("raw", {})).toMatchObject({ valid: false });
    expect(registry.validate("raw", { text: 1 })).toEqual({ valid: true, value: { text: 1 } });
    expect(compiled).toEqual([schema]);
  });

  test("ToolRegistry.validate() gives the issues of every kind of schema with their paths", () => {
    const registry = createRegistry(
      toolNamed("zod", { parameters: z.object({ items: z.array(z.object({ n: z.number() })) }) }),
      toolNamed("arktype", { parameters: type({ items: type({ n: "number" }).array() }) }),
      toolNamed("raw", {
        parameters: {
          type: "object",
          properties: {
            items: { type: "array", items: { type: "object", properties: { n: { type: "number" } } } },
          },
        },
      }),
    );
    for (const name of ["zod", "arktype", "raw"]) {
      expect(registry.validate(name, { items: [{ n: 1 }, { n: "x" }] })).toEqual({
        valid: false,
        issues: [expect.objectContaining({ path: ["items", 1, "n"], message: expect.any(String) })],
      });
    }
  });

  test("ToolRegistry.validate() throws for a name that nobody took", () => {
    expect(() => createRegistry().validate("none", {})).toThrow(
      expect.objectContaining({ code: "TOOL_NOT_FOUND" }),
    );
  });

  test("ToolRegistry.schemaOf() gives JSON Schema for every kind of schema", () => {
    const raw = { type: "object", properties: { text: { type: "string" } } };
    const registry = createRegistry(toolNamed("zod"), toolNamed("raw", { parameters: raw }), broken);
    expect(registry.getSchema("zod")).toMatchObject({
      type: "object",
      properties: { text: { type: "string" } },
    });
    expect(registry.getSchema("raw")).toBe(raw);
    expect(registry.getSchema("none")).toBeUndefined();
  });

  test("ToolRegistry.toLLMTools() has the type of the target's definitions, OpenAI's by default", () => {
    const registry = createRegistry(toolNamed("a"));
    expectTypeOf(registry.toLLMTools()).toEqualTypeOf<readonly OpenAITool[]>();
    expectTypeOf(registry.toLLMTools("anthropic")).toEqualTypeOf<readonly AnthropicTool[]>();
    expectTypeOf(registry.toLLMTool("a", "gemini")).toEqualTypeOf<GeminiTool | undefined>();
    expect(registry.toLLMTools()[0]?.function.name).toBe("a");
    expect(registry.toLLMTools("anthropic")[0]?.input_schema).toBeTypeOf("object");
    expect(registry.toLLMTool("a", "gemini")?.name).toBe("a");
  });

  test("ToolRegistry.toLLMTools() keeps its definitions until a tool changes", () => {
    const registry = createRegistry(toolNamed("a"));
    const first = registry.toLLMTools("anthropic");
    expect(registry.toLLMTools("anthropic")).toBe(first);
    expect(registry.toLLMTools("mcp")).not.toBe(first);
    registry.register(toolNamed("b"));
    expect(listNames(registry, "anthropic")).toEqual(["a", "b"]);
    expect(first).toHaveLength(1);
  });

  test("ToolRegistry.fromLLMArguments() leaves the arguments of an unknown tool as they are", () => {
    const args = { a: 1 };
    expect(createRegistry().fromLLMArguments("none", args, "openai-strict")).toBe(args);
  });
});

describe("statistics", () => {
  test("ToolRegistry.getStats() counts tools by category and calls by tool", () => {
    const registry = createRegistry(
      toolNamed("a", { category: "file" }),
      toolNamed("b", { category: "file" }),
      toolNamed("c", { category: "data" }),
    );
    registry.updateCallStats("a", 10, true);
    registry.updateCallStats("a", 30, false);
    registry.updateCallStats("gone", 5, true);
    expect(registry.getStats()).toEqual({
      total: 3,
      byCategory: { file: 2, data: 1 },
      callStats: { a: { count: 2, failures: 1, avgDuration: 20 } },
    });
  });

  test("ToolRegistry.getStats() counts a tool whose name and category are words of the language", () => {
    const registry = createRegistry(
      toolNamed("__proto__", { category: "__proto__" }),
      toolNamed("constructor"),
    );
    registry.updateCallStats("__proto__", 4, true);
    const { byCategory, callStats } = registry.getStats();
    expect(Object.entries(byCategory)).toEqual([
      ["__proto__", 1],
      ["custom", 1],
    ]);
    expect(Object.entries(callStats)).toEqual([["__proto__", { count: 1, failures: 0, avgDuration: 4 }]]);
  });
});

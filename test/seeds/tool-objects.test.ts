import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { allTaskTools, collectionTools, mainAgentTools, parseConfig } from "../../src/app/index.ts";
import { ToolRegistry } from "../../src/index.ts";
import {
  type PlainTool,
  type ToolContext,
  type ToolEvent,
  ToolExecutor,
  toolCategories,
} from "../../src/kernel/index.ts";
import { Installation } from "../support/installation.ts";

// The form of a system whose tools are plain objects that measure and report their own success.
const convert = {
  name: "convert_length",
  description: "Convert metres to another unit.",
  category: "custom",
  parameters: z.object({ metres: z.number(), unit: z.string().optional() }),
  async execute(params: unknown, context: ToolContext) {
    const { metres, unit = "ft" } = params as { metres: number; unit?: string };
    const startedAt = Date.now();
    const told = { startedAt, completedAt: Date.now(), durationMs: 0 };
    if (unit === "task") return { success: true, result: [context.taskId, context.userId], ...told };
    if (unit !== "ft") return { success: false, error: `no unit "${unit}" here`, ...told };
    return { success: true, result: metres / 0.3048, ...told };
  },
} satisfies PlainTool;

const allowed = { rules: [{ decision: "allow", tool: "convert_length" }] } as const;

test("a plain tool object registers, asks as one that says nothing of itself, and runs once it is allowed", async () => {
  const registry = new ToolRegistry();
  registry.register(convert);
  expect(registry.get("convert_length")).toMatchObject({ annotations: {}, version: "1" });
  expect(registry.listByCategory("custom").map(({ name }) => name)).toEqual(["convert_length"]);
  const careful = new ToolExecutor(registry);
  expect(await careful.execute("convert_length", { metres: 1 })).toMatchObject({
    code: "TOOL_PERMISSION",
    error: expect.stringContaining(
      "the tool declares no annotations, so it is taken to change things outside; if it only computes, its author adds annotations: { readOnly: true, openWorld: false }",
    ),
  });
  const executor = new ToolExecutor(registry, allowed);
  expect(await executor.execute("convert_length", { metres: 0.3048 })).toMatchObject({
    success: true,
    result: 1,
  });
  expect(await executor.execute("convert_length", { metres: 1, unit: "ell" })).toMatchObject({
    success: false,
    error: 'no unit "ell" here',
  });
});

test("the context has the task and the user of the call", async () => {
  const registry = new ToolRegistry();
  registry.register(convert);
  const executor = new ToolExecutor(registry, allowed);
  const call = { taskId: "task-7", userId: "ada" };
  expect(await executor.execute("convert_length", { metres: 1, unit: "task" }, call)).toMatchObject({
    result: ["task-7", "ada"],
  });
});

test("the registry answers as that of the form does", async () => {
  const registry = new ToolRegistry();
  registry.registerMany([convert, { ...convert, name: "convert_weight", category: "data" }]);
  expect(() => registry.register(convert)).toThrow(/convert_length/);
  expect([registry.has("convert_length"), registry.has("none"), registry.get("none")]).toEqual([
    true,
    false,
    undefined,
  ]);
  expect(registry.list().map(({ name }) => name)).toEqual(["convert_length", "convert_weight"]);
  expect(registry.toLLMTools()[0]).toMatchObject({
    type: "function",
    function: { name: "convert_length", parameters: { type: "object", required: ["metres"] } },
  });
  registry.updateCallStats("convert_weight", 8, false);
  expect(registry.getStats()).toEqual({
    total: 2,
    byCategory: { custom: 1, data: 1 },
    callStats: { convert_weight: { count: 1, failures: 1, avgDuration: 8 } },
  });
  expect(toolCategories).toEqual(["system", "file", "network", "data", "memory", "code", "mcp", "custom"]);
});

test("the executor says 400 at the start, and 410 or 420 once its caller says that it is up to date", async () => {
  const registry = new ToolRegistry();
  registry.register(convert);
  const executor = new ToolExecutor(registry, allowed);
  const heard: ToolEvent[] = [];
  executor.events.on((event) => heard.push(event));
  const result = await executor.execute("convert_length", { metres: 1 });
  expect(heard).toMatchObject([{ code: 400, toolName: "convert_length", params: { metres: 1 } }]);
  executor.emitCompletion("convert_length", result);
  const failed = await executor.execute("convert_length", { metres: "far" });
  executor.emitCompletion("convert_length", failed);
  expect(heard.map(({ code }) => code)).toEqual([400, 410, 400, 420]);
});

test("its errors have a code each: unknown, wrong arguments, too slow, not permitted", async () => {
  const registry = new ToolRegistry();
  const slow: PlainTool = {
    ...convert,
    name: "slow",
    timeoutMs: 5,
    execute: (_params: never, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  };
  registry.registerMany([convert, slow]);
  const executor = new ToolExecutor(registry, {
    rules: [
      { decision: "allow", tool: "*" },
      { decision: "deny", tool: "convert_length", arguments: { unit: "mile" } },
    ],
  });
  const catchCode = async (name: string, params: object) => {
    const result = await executor.execute(name, params);
    return result.success ? "" : result.code;
  };
  expect([
    await catchCode("nothing", {}),
    await catchCode("convert_length", {}),
    await catchCode("slow", { metres: 1 }),
    await catchCode("convert_length", { metres: 1, unit: "mile" }),
  ]).toEqual(["TOOL_NOT_FOUND", "TOOL_VALIDATION", "TOOL_TIMEOUT", "TOOL_PERMISSION"]);
});

describe("the tools of its catalogue take its calls and return its fields", () => {
  const calls: readonly (readonly [string, object, unknown])[] = [
    [
      "current_time",
      { timezone: "Europe/Oslo" },
      { timestamp: expect.any(Number), iso: expect.any(String), timezone: "Europe/Oslo" },
    ],
    ["sleep", { duration: 0.001 }, { slept: 0.001 }],
    ["set_env", { key: "GREETING", value: "hei" }, { previous: null }],
    ["get_env", { key: "GREETING" }, { value: "hei" }],
    ["write_file", { path: "in/b.txt", content: "x\n", encoding: "utf-8" }, { bytesWritten: 2 }],
    [
      "read_file",
      { path: "a.txt", encoding: "utf-8", offset: 1, limit: 1 },
      { content: "two\n", size: 14, totalLines: 3 },
    ],
    [
      "list_files",
      { path: ".", recursive: true, pattern: "*.txt" },
      { files: [{ path: "a.txt" }, { path: "in/b.txt" }] },
    ],
    ["move_file", { from: "in/b.txt", to: "in/c.txt" }, { success: true }],
    ["get_file_info", { path: "in/c.txt" }, { exists: true, size: 2, modified: expect.any(String) }],
    ["edit_file", { path: "in/c.txt", edits: [{ old_string: "x", new_string: "y" }] }, { applied: 1 }],
    ["grep_files", { pattern: "^tw", path: "." }, { matches: [{ path: "a.txt", line: 2, text: "two" }] }],
    ["json_parse", { text: '{"a":[1]}' }, { data: { a: [1] } }],
    ["json_stringify", { data: { a: 1 }, pretty: true }, { text: '{\n  "a": 1\n}' }],
    ["base64_encode", { text: "hei" }, { encoded: "aGVp" }],
    ["base64_decode", { encoded: "aGVp" }, { decoded: "hei" }],
    [
      "memory_write",
      { path: "facts/tea.md", content: "# Tea\n\n> Summary: tea\n\nGreen.\n" },
      { path: "facts/tea.md", size: 30 },
    ],
    [
      "memory_patch",
      { path: "facts/tea.md", old_str: "Green.", new_str: "Black." },
      { path: "facts/tea.md", size: 30 },
    ],
    [
      "memory_append",
      { path: "facts/tea.md", entry: "- no milk", summary: "tea, no milk" },
      { path: "facts/tea.md" },
    ],
    ["memory_list", {}, [{ path: "facts/tea.md", summary: "tea, no milk", size: expect.any(Number) }]],
    ["memory_read", { path: "facts/tea.md" }, "# Tea\n\n> Summary: tea, no milk\n\nBlack.\n- no milk\n"],
  ];

  test("one after the other", async () => {
    const { call } = await openTask();
    for (const [tool, params, returns] of calls) {
      const result = await call(tool, params);
      expect(result, tool).toMatchObject({ success: true });
      const value = result.success && result.result;
      if (Array.isArray(returns) || typeof returns === "string") expect(value, tool).toEqual(returns);
      else expect(value, tool).toMatchObject(returns as object);
    }
  });

  test("and fail as its own tests expect: not found, not permitted, outside the memory", async () => {
    const { call, folder } = await openTask();
    const getError = async (tool: string, params: object) => {
      const result = await call(tool, params, { allowedPaths: [folder] });
      return result.success ? "" : result.error;
    };
    expect(await getError("read_file", { path: "none.txt" })).toContain("not found");
    expect(await getError("read_file", { path: "/etc/passwd" })).toContain("Permission denied");
    expect(await getError("memory_read", { path: "../secrets.md" })).toContain("lead out of the memory");
    expect(await getError("memory_patch", { path: "facts/none.md", old_str: "a", new_str: "b" })).not.toBe(
      "",
    );
  });

  test("and its collections are limits that a caller brings", async () => {
    const { call, app } = await openTask();
    const taken = collectionTools(allTaskTools, app.registry).map(({ name }) => name);
    expect(taken).toEqual(expect.arrayContaining(["read_file", "http_get", "memory_append"]));
    expect(taken).not.toContain("secret_store");
    const limits = mainAgentTools.limits;
    expect(await call("memory_list", {}, { limits })).toMatchObject({ success: true });
    expect(await call("write_file", { path: "x", content: "" }, { limits })).toMatchObject({
      code: "TOOL_NOT_CALLABLE",
    });
  });
});

async function openTask() {
  const installation = new Installation();
  writeFileSync(join(installation.folder, "a.txt"), "one\ntwo\nthree\n");
  mkdirSync(join(installation.folder, "in"));
  const place = await installation.open("tools: { profile: task, search: { embedder: none } }");
  const call: typeof place.call = (...given) => place.call(...given);
  return { app: place.app, folder: installation.folder, call };
}

test("its configuration is read as it is written", async () => {
  const config = await parseConfig(
    `tools:
  timeout: 20000
  maxConcurrent: 4
  allowedPaths:
    - "./notes"
    - "./src"
  webSearch:
    provider: "tavily"
    apiKey: "\${SEARCH_KEY}"
    maxResults: 5
  mcpServers:
    - name: files
      transport: stdio
      command: npx
      args: ["-y", "some-server", "/tmp"]
      env: {}
      cwd: .
      enabled: true
    - name: remote
      transport: sse
      url: "http://localhost:3000/sse"
      enabled: false
`,
    "haft.config.yml",
    (name) => (name === "SEARCH_KEY" ? "a-key" : undefined),
  );
  expect(config.tools).toMatchObject({
    timeout: 20_000,
    maxConcurrent: 4,
    webSearch: { provider: "tavily", apiKey: "a-key", maxResults: 5 },
    mcpServers: expect.anything(),
  });
});

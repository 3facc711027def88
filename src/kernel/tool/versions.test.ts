import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createTestExecutor, RecordingLedger } from "../../../test/support/test-executor.ts";
import type { CallContext } from "../call/context.ts";
import { defineTool, type Tool } from "./tool.ts";
import { type VersionChoice, withVersions } from "./versions.ts";

function version(of: string, more: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({
      name: "greet",
      description: `Greet ${of}.`,
      version: of,
      parameters: z.object({ name: z.string() }),
      execute: ({ name }) => `${of}: ${name}`,
    }),
    ...more,
  };
}

const other = version("3", { parameters: z.object({ names: z.array(z.string()) }), execute: () => "3: all" });

function gate(tools: readonly Tool[], choice?: VersionChoice) {
  const ledger = new RecordingLedger();
  const { executor, registry } = createTestExecutor([withVersions(tools, choice)], { ledger });
  const greet = async (name = "greet", params: unknown = { name: "ada" }, taskId?: string) => {
    const result = await executor.execute(name, params, taskId === undefined ? {} : { taskId });
    return result.success ? result.result : result.error;
  };
  return { greet, registry, executor, ledger };
}

test("the last of several versions is shown and called, the others by name@version", async () => {
  const { greet, registry, ledger } = gate([version("1"), version("2"), other]);
  expect(registry.list().map(({ description }) => description)).toEqual(["Greet 3."]);
  expect(await greet("greet", { names: [] })).toBe("3: all");
  expect(await greet("greet@1")).toBe("1: ada");
  expect(await greet("greet@3")).toContain("names");
  expect(await greet("greet@4")).toBe('Cannot find "greet@4": of "greet" there are versions 1, 2, 3');
  const ends = ledger.entries.flatMap((entry) => ("ended" in entry ? [entry.ended] : []));
  expect(ends.map(({ toolName, toolVersion }) => [toolName, toolVersion]).slice(0, 2)).toEqual([
    ["greet", "3"],
    ["greet", "1"],
  ]);
});

test("a tool of one version can be called by it", async () => {
  const { executor } = createTestExecutor([version("1")]);
  expect(await executor.execute("greet@1", { name: "ada" })).toMatchObject({
    result: "1: ada",
    toolName: "greet",
  });
  expect(await executor.execute("greet@2", { name: "ada" })).toMatchObject({ code: "TOOL_NOT_FOUND" });
  expect(await executor.execute("meet@1", { name: "ada" })).toMatchObject({ code: "TOOL_NOT_FOUND" });
});

test("calls that name no version go by share, those of one task all to the same", async () => {
  const { greet, registry } = gate([version("1"), version("2")], { 1: 3, 2: 1 });
  const first = new Map<string, unknown>();
  for (let task = 0; task < 400; task++) first.set(`t${task}`, await greet("greet", undefined, `t${task}`));
  for (const [task, was] of first) expect(await greet("greet", undefined, task)).toBe(was);
  const ones = [...first.values()].filter((one) => one === "1: ada").length;
  expect(ones).toBeGreaterThan(290);
  expect(ones).toBeLessThan(305);
  const { callStats } = registry.getStats();
  expect(callStats["greet"]?.count).toBe(800);
  expect(callStats["greet@1"]?.count).toBe(2 * ones);
  expect(callStats["greet@2"]?.count).toBe(800 - 2 * ones);
});

test("calls of one session go to one version, those of neither task nor session each to its own", async () => {
  const { executor } = gate([version("1"), version("2")], { 1: 1, 2: 1 });
  const listVersions = async (contexts: readonly CallContext[]) => {
    const results = contexts.map((context) => executor.execute("greet", { name: "ada" }, context));
    return new Set((await Promise.all(results)).map(({ text }) => text));
  };
  const many = Array.from({ length: 30 }, (_, index) => index);
  const inSession = (session: string) => many.map(() => ({ origin: { channel: "mcp", session } }));
  for (const session of ["a", "b", "c"]) expect((await listVersions(inSession(session))).size).toBe(1);
  expect((await listVersions(many.map((index) => inSession(`${index}`)[0] ?? {}))).size).toBe(2);
  expect((await listVersions(many.map(() => ({})))).size).toBe(2);
});

test("rules, lists and grants go by the name of the tool, whichever version is called", async () => {
  const { executor } = createTestExecutor([withVersions([version("1"), version("2")])], {
    rules: [{ decision: "allow" }, { decision: "deny", tool: "greet" }],
  });
  for (const name of ["greet", "greet@1", "greet@2"])
    expect(await executor.execute(name, { name: "a" })).toMatchObject({ code: "TOOL_PERMISSION" });
  expect(await executor.execute("greet@1", { name: "a" }, { blockedTools: ["greet"] })).toMatchObject({
    code: "TOOL_NOT_CALLABLE",
  });
});

test("a version that fails is counted as one that fails", async () => {
  const bad = version("2", {
    execute: () => {
      throw new Error("no");
    },
  });
  const { greet, registry } = gate([version("1"), bad]);
  await greet();
  await greet("greet@1");
  expect(registry.getStats().callStats).toMatchObject({
    greet: { count: 2, failures: 1 },
    "greet@1": { count: 1, failures: 0 },
    "greet@2": { count: 1, failures: 1 },
  });
});

describe("withVersions() refuses", () => {
  test.for<[string, readonly Tool[], VersionChoice | undefined]>([
    ["another tool", [version("1"), { ...version("2"), name: "meet" }], undefined],
    ['two have the version "1"', [version("1"), version("1")], undefined],
    ['there is no version "9"; there are 1, 2', [version("1"), version("2")], "9"],
    ["-1 is no share", [version("1"), version("2")], { 1: -1 }],
    ["no version has a share", [version("1"), version("2")], { 1: 0, 2: 0 }],
    ["they take different arguments", [version("1"), other], { 1: 1, 3: 1 }],
  ])("where %s", ([why, tools, choice]) => {
    expect(() => withVersions(tools, choice)).toThrow(why);
  });
});

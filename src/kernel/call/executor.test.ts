import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  allowAll,
  createTestExecutor,
  echo,
  RecordingArtifacts,
  RecordingLedger,
} from "../../../test/support/test-executor.ts";
import { ToolError } from "../errors.ts";
import type { Approver } from "../policy/approval.ts";
import type { Ledger } from "../ports/ledger.ts";
import { ToolRegistry } from "../registry/registry.ts";
import { defineTool } from "../tool/tool.ts";
import { ToolExecutor } from "./executor.ts";
import type { Hook } from "./hooks.ts";

describe("the eleven steps", () => {
  test("ToolExecutor.run() takes them in the one order", async () => {
    const log: string[] = [];
    const noted =
      (word: string) =>
      <Value>(value: Value): Value => {
        log.push(word);
        return value;
      };
    const tool = defineTool({
      name: "paint",
      description: "Paint something.",
      parameters: z
        .object({ what: z.string() })
        .transform(noted("validate"))
        .pipe(z.object({ what: z.string() })),
      effects: ({ what }) => noted("effects")([{ kind: "write", target: what, within: true }]),
      locks: ({ what }) => noted("admit")([{ key: what, mode: "exclusive" }]),
      execute: async ({ what }) => noted("run")(`${what} ${"x".repeat(2000)}`),
      maxOutputChars: 1000,
    });
    const hook: Hook = {
      name: "watch",
      before: () => noted("before")(undefined),
      after: () => noted("after")(undefined),
    };
    const approver: Approver = {
      identity: "ann",
      ask: async () => noted("ask")({ approved: true, by: "ann" }),
    };
    const ledger: Ledger = {
      start: async () => noted("record start")(undefined),
      end: async () => noted("record end")(undefined),
    };
    const artifacts = new RecordingArtifacts();
    artifacts.put = async () => noted("bound")({ id: "x_1", chars: 2000 });
    const { executor } = createTestExecutor([tool], {
      rules: [],
      hooks: [hook],
      approver,
      ledger,
      artifacts,
    });
    executor.events.on(({ type }) => noted(type)(undefined));

    await executor.run("paint", { what: "door" }, {}, () => noted("caller records")(undefined));

    expect(log).toEqual([
      "tool.requested",
      "validate",
      "before",
      "effects",
      "ask",
      "admit",
      "record start",
      "run",
      "after",
      "bound",
      "record end",
      "caller records",
      "tool.completed",
    ]);
  });

  test("ToolExecutor.execute() stops at the first step that fails, and still records and returns", async () => {
    const ran: string[] = [];
    const ledger = new RecordingLedger();
    const tool = defineTool({ ...echo, execute: () => ran.push("run") });
    const hook: Hook = { name: "guard", before: () => ({ block: "not today" }) };
    const { executor } = createTestExecutor([tool], { hooks: [hook], ledger });

    const result = await executor.execute("echo", { text: "a" });

    expect(result).toMatchObject({ success: false, code: "TOOL_BLOCKED" });
    expect(ran).toEqual([]);
    expect(ledger.entries).toEqual([
      {
        ended: expect.objectContaining({ toolName: "echo" }),
        outcome: expect.objectContaining({ code: "TOOL_BLOCKED" }),
      },
    ]);
  });

  test("ToolExecutor.execute() gives a success with the tool's own value and its times", async () => {
    const { executor, clock } = createTestExecutor([
      defineTool({
        name: "wait",
        description: "Wait a while.",
        parameters: z.object({}),
        execute: (_, { callId }) =>
          new Promise((resolve) => clock.after(1500, () => resolve({ callId, items: [1, 2] }))),
      }),
    ]);
    const pending = executor.execute("wait", {}, { callId: "c1" });
    await clock.advance(1500);
    expect(await pending).toEqual({
      success: true,
      callId: "c1",
      toolName: "wait",
      result: { callId: "c1", items: [1, 2] },
      text: '{"callId":"c1","items":[1,2]}',
      startedAt: 1_000_000,
      completedAt: 1_001_500,
      durationMs: 1500,
      trust: "untrusted",
      private: false,
      notes: [],
    });
  });

  test("ToolExecutor.execute() gives a failure with the code and the details of what was thrown", async () => {
    const { executor } = createTestExecutor([
      defineTool({
        ...echo,
        execute: () => {
          throw new ToolError("echo", "TOOL_FAILED", "Cannot echo: no wall", { details: { wall: null } });
        },
      }),
    ]);
    expect(await executor.execute("echo", { text: "a" }, { callId: "c1" })).toEqual({
      success: false,
      callId: "c1",
      toolName: "echo",
      error: "Cannot echo: no wall",
      code: "TOOL_FAILED",
      text: "Cannot echo: no wall [TOOL_FAILED]",
      details: { wall: null },
      startedAt: 1_000_000,
      completedAt: 1_000_000,
      durationMs: 0,
      trust: "untrusted",
      private: false,
      notes: [],
    });
  });

  test("ToolExecutor.execute() makes a new id for each call that brings none", async () => {
    const { executor } = createTestExecutor([echo]);
    const results = await Promise.all(
      Array.from({ length: 100 }, () => executor.execute("echo", { text: "a" })),
    );
    expect(new Set(results.map(({ callId }) => callId)).size).toBe(100);
  });
});

describe("finding", () => {
  const reader = defineTool({ ...echo, name: "read_file" });

  test("ToolExecutor.execute() refuses an unknown name with the nearest ones", async () => {
    const { executor } = createTestExecutor([echo, reader]);
    expect(await executor.execute("raed_file", {})).toMatchObject({
      success: false,
      code: "TOOL_NOT_FOUND",
      error: 'Cannot find tool "raed_file"; did you mean "read_file"',
      details: { nearest: ["read_file"] },
    });
  });

  test("ToolExecutor.execute() refuses a tool outside `allowedTools`, before its arguments are looked at", async () => {
    const { executor } = createTestExecutor([echo, reader]);
    expect(await executor.execute("echo", 1, { allowedTools: ["read_file"] })).toMatchObject({
      success: false,
      code: "TOOL_NOT_CALLABLE",
      error: expect.stringContaining("use one of read_file"),
    });
  });

  test("ToolExecutor.execute() calls nothing for an empty `allowedTools`", async () => {
    const { executor } = createTestExecutor([echo]);
    expect(await executor.execute("echo", { text: "a" }, { allowedTools: [] })).toMatchObject({
      code: "TOOL_NOT_CALLABLE",
    });
  });

  test("ToolExecutor.execute() does not name tools that this caller may not call", async () => {
    const { executor } = createTestExecutor([echo, reader]);
    const result = await executor.execute("raed_file", {}, { allowedTools: ["echo"] });
    expect(result.text).not.toContain("read_file");
  });

  test("ToolExecutor.execute() refuses a quarantined tool and calls its neighbours", async () => {
    const broken = defineTool({
      name: "broken",
      description: "Have a schema that is none.",
      parameters: { type: "no such type" },
      execute: () => "never",
    });
    const { executor } = createTestExecutor([broken, echo]);
    expect(await executor.execute("broken", {})).toMatchObject({ success: false, code: "TOOL_QUARANTINED" });
    expect(await executor.execute("echo", { text: "a" })).toMatchObject({ success: true });
  });
});

describe("validating", () => {
  const sum = defineTool({
    name: "sum",
    description: "Add numbers.",
    parameters: z.strictObject({
      numbers: z.array(z.number()),
      round: z.enum(["up", "down"]).default("down"),
      options: z.strictObject({ limit: z.number().optional() }).optional(),
    }),
    execute: ({ numbers, round }) => ({ round, sum: numbers.reduce((a, b) => a + b, 0) }),
  });

  test("ToolExecutor.execute() hands the tool what the schema made of the arguments", async () => {
    const { executor } = createTestExecutor([sum]);
    expect(await executor.execute("sum", { numbers: [1, 2] })).toMatchObject({
      success: true,
      result: { round: "down", sum: 3 },
      notes: [],
    });
  });

  test("ToolExecutor.execute() refuses arguments that do not fit, naming path, expectation and what came", async () => {
    const { executor } = createTestExecutor([sum]);
    const result = await executor.execute("sum", { numbers: [1, true] });
    expect(result).toMatchObject({ success: false, code: "TOOL_VALIDATION" });
    expect(result.text).toMatch(/numbers.*1/s);
    expect(result.text).toContain("number");
    expect(result.text).toContain("true");
  });

  test("ToolExecutor.execute() says each repair in the notes of the result and of the ledger", async () => {
    const ledger = new RecordingLedger();
    const { executor } = createTestExecutor([sum], { ledger });
    const result = await executor.execute("sum", { numbers: "[1, 2]", round: "UP", options: { limit: "7" } });
    expect(result).toMatchObject({ success: true, result: { round: "up", sum: 3 } });
    expect(result.notes).toHaveLength(3);
    expect(result.notes.join("\n")).toMatch(/numbers[\s\S]*round[\s\S]*options\.limit/);
    expect(ledger.entries[1]).toMatchObject({ outcome: { notes: result.notes } });
  });

  test("ToolExecutor.execute() refuses arguments that a repair does not make fit, without a note", async () => {
    const { executor } = createTestExecutor([sum]);
    const result = await executor.execute("sum", { numbers: "[1, 2]", round: "sideways" });
    expect(result).toMatchObject({ success: false, code: "TOOL_VALIDATION", notes: [] });
  });

  test("ToolExecutor.execute() waits for a schema that checks elsewhere, but not for ever", async () => {
    const slow = defineTool({
      ...echo,
      parameters: z.object({ text: z.string() }).refine(() => new Promise<boolean>(() => {})),
    });
    const { executor, clock } = createTestExecutor([slow]);
    const pending = executor.execute("echo", { text: "a" });
    await clock.advance(30_000);
    expect(await pending).toMatchObject({ success: false, code: "TOOL_TIMEOUT" });
    expect(clock.pending).toBe(0);
  });
});

test("ToolExecutor needs nothing but a registry, and then allows only what is harmless", async () => {
  const registry = new ToolRegistry();
  registry.registerMany([
    defineTool({ ...echo, annotations: { readOnly: true, openWorld: false } }),
    defineTool({ ...echo, name: "unknown" }),
  ]);
  const executor = new ToolExecutor(registry);
  expect(await executor.execute("echo", { text: "a" })).toMatchObject({ success: true, result: "a" });
  expect(await executor.execute("unknown", { text: "a" })).toMatchObject({
    success: false,
    code: "TOOL_PERMISSION",
  });
});

test("ToolExecutor refuses rules it can't understand when it is made", () => {
  expect(
    () => new ToolExecutor(new ToolRegistry(), { rules: [...allowAll, { decision: "perhaps" as never }] }),
  ).toThrow(TypeError);
});

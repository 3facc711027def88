import { describe, expect, test } from "vitest";
import {
  collectEvents,
  createTestExecutor,
  echo,
  RecordingLedger,
  settle,
} from "../../../test/support/test-executor.ts";
import { defineTool } from "../tool/tool.ts";
import type { ToolResult } from "./result.ts";

describe("recording", () => {
  const writer = defineTool({
    ...echo,
    effects: ({ text }) => [{ kind: "write", target: text, within: true }],
  });

  test("ToolExecutor.execute() records the start before a tool that changes things runs, and the end after", async () => {
    const ledger = new RecordingLedger();
    const tool = defineTool({
      ...writer,
      version: "7",
      execute: () => {
        expect(ledger.entries).toHaveLength(1);
        return "written";
      },
    });
    const { executor } = createTestExecutor([tool], { ledger });
    const context = {
      callId: "c1",
      taskId: "t",
      agentId: "a",
      userId: "u",
      scope: "s",
      origin: { channel: "cli" },
    };
    await executor.execute("echo", { text: "/f" }, context);
    const call = {
      callId: "c1",
      toolName: "echo",
      toolVersion: "7",
      scope: "s",
      taskId: "t",
      agentId: "a",
      userId: "u",
      channel: "cli",
      params: { text: "/f" },
      paramsText: '{"text":"/f"}',
      idempotent: false,
      decision: { decision: "allow", by: '{"decision":"allow"}' },
      startedAt: 1_000_000,
    };
    expect(ledger.entries).toEqual([
      { started: call },
      {
        ended: call,
        outcome: {
          success: true,
          code: undefined,
          text: "written",
          notes: [],
          artifactId: undefined,
          stillRunning: false,
          completedAt: 1_000_000,
          durationMs: 0,
        },
      },
    ]);
  });

  test("ToolExecutor.execute() runs nothing if the ledger can't record its start", async () => {
    const ran: unknown[] = [];
    const { executor } = createTestExecutor([defineTool({ ...writer, execute: () => ran.push(1) })], {
      ledger: { start: () => Promise.reject(new Error("disk full")), end: async () => {} },
    });
    const result = await executor.execute("echo", { text: "/f" });
    expect(result).toMatchObject({ success: false, code: "TOOL_UNRECORDED" });
    expect(result.text).toContain("nothing was done");
    expect(ran).toEqual([]);
  });

  test("ToolExecutor.execute() lets the result stand if the ledger can't record its end, and says so", async () => {
    const full = new Error("disk full");
    const { executor, errors } = createTestExecutor([writer], {
      ledger: { start: async () => {}, end: () => Promise.reject(full) },
    });
    expect(await executor.execute("echo", { text: "/f" })).toMatchObject({
      success: true,
      result: "/f",
      notes: ["ledger: the end of this call could not be recorded"],
    });
    expect(errors).toEqual([full]);
  });

  test("ToolExecutor.execute() does not keep a call that changes nothing waiting for the record of its start", async () => {
    let recorded = (): void => {};
    const ended: string[] = [];
    const { executor } = createTestExecutor(
      [defineTool({ ...echo, annotations: { readOnly: true }, execute: () => ended.push("run") })],
      {
        ledger: {
          start: () =>
            new Promise((resolve) => {
              recorded = resolve;
            }),
          end: async () => {},
        },
      },
    );
    const pending = executor.execute("echo", { text: "a" }).then(() => ended.push("returned"));
    await settle();
    expect(ended).toEqual(["run"]);
    recorded();
    await pending;
    expect(ended).toEqual(["run", "returned"]);
  });

  test("ToolExecutor.execute() waits for the record of a call that says it is read-only but has another effect", async () => {
    const ran: unknown[] = [];
    const liar = defineTool({ ...writer, annotations: { readOnly: true }, execute: () => ran.push(1) });
    const { executor } = createTestExecutor([liar], {
      ledger: { start: () => Promise.reject(new Error("disk full")), end: async () => {} },
    });
    expect(await executor.execute("echo", { text: "/f" })).toMatchObject({ code: "TOOL_UNRECORDED" });
    expect(ran).toEqual([]);
  });

  test("ToolExecutor.execute() writes secrets neither into the ledger's arguments nor into its outcome", async () => {
    const ledger = new RecordingLedger();
    const { executor } = createTestExecutor([echo], {
      ledger,
      redact: (text) => text.replaceAll("hunter2hunter2", "[redacted:PASS]"),
    });
    await executor.execute("echo", { text: "it is hunter2hunter2" });
    expect(ledger.entries).toMatchObject([
      { started: { paramsText: '{"text":"it is [redacted:PASS]"}' } },
      { outcome: { text: "it is [redacted:PASS]" } },
    ]);
  });

  test("ToolExecutor.execute() counts calls, failures and time for each tool", async () => {
    const { executor, registry, clock } = createTestExecutor([
      defineTool({
        ...echo,
        execute: async ({ text }) => {
          if (text === "bad") throw new Error("bad");
          await new Promise<void>((resolve) => clock.after(Number(text), resolve));
        },
      }),
    ]);
    for (const text of ["10", "20", "bad"]) {
      const pending = executor.execute("echo", { text });
      await clock.advance(20);
      await pending;
    }
    await executor.execute("none", {});
    expect(registry.getStats().callStats).toEqual({ echo: { count: 3, failures: 1, avgDuration: 10 } });
  });
});

describe("completion", () => {
  test("ToolExecutor.execute() leaves the completion to its caller", async () => {
    const { executor } = createTestExecutor([echo]);
    const events = collectEvents(executor);
    const result = await executor.execute("echo", { text: "a" }, { callId: "c1", taskId: "t1" });
    const base = { callId: "c1", toolName: "echo", taskId: "t1", at: 1_000_000 };
    const requested = { type: "tool.requested", code: 400, ...base, params: { text: "a" } };
    expect(events).toEqual([requested]);
    executor.emitCompletion("echo", result, { taskId: "t1" });
    expect(events).toEqual([requested, { type: "tool.completed", code: 410, ...base, result }]);
  });

  test("ToolExecutor.run() announces after the caller has recorded the result", async () => {
    const { executor } = createTestExecutor([echo]);
    const events = collectEvents(executor);
    let recorded: ToolResult | undefined;
    const result = await executor.run("echo", {}, {}, async (given) => {
      await settle();
      expect(events.map(({ type }) => type)).toEqual(["tool.requested"]);
      recorded = given;
    });
    expect(recorded).toBe(result);
    expect(events.map(({ type, code }) => [type, code])).toEqual([
      ["tool.requested", 400],
      ["tool.failed", 420],
    ]);
  });

  test.for([
    [
      "throws",
      (fault: Error): Promise<void> => {
        throw fault;
      },
    ],
    ["rejects", (fault: Error) => Promise.reject(fault)],
  ] as const)(
    "ToolExecutor.run() announces the completion even if the caller's record %s, and rejects with it",
    async ([, fail]) => {
      const { executor } = createTestExecutor([echo]);
      const events = collectEvents(executor);
      const fault = new Error("no room");
      await expect(executor.run("echo", { text: "a" }, {}, () => fail(fault))).rejects.toBe(fault);
      expect(events.map(({ type }) => type)).toEqual(["tool.requested", "tool.completed"]);
    },
  );

  test("ToolExecutor.execute() is not harmed by a listener that throws, rejects or never resolves", async () => {
    const { executor, errors } = createTestExecutor([echo]);
    const [first, second] = [new Error("first"), new Error("second")];
    executor.events.on(() => {
      throw first;
    });
    executor.events.on(() => Promise.reject(second));
    executor.events.on(() => new Promise(() => {}));
    const events = collectEvents(executor);
    expect(await executor.run("echo", { text: "a" })).toMatchObject({ success: true });
    expect(events).toHaveLength(2);
    expect(errors).toHaveLength(4);
    expect(new Set(errors)).toEqual(new Set([first, second]));
  });
});

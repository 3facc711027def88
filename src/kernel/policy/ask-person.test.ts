import { describe, expect, test } from "vitest";
import { answering, createTool, MemoryGrants, run } from "../../../test/support/questions.ts";
import { createTestExecutor, RecordingLedger, settle } from "../../../test/support/test-executor.ts";
import type { Effect } from "../tool/effect.ts";
import { defineTool } from "../tool/tool.ts";
import type { ApprovalAnswer, Approver } from "./approval.ts";

test("ToolExecutor.execute() notes in the ledger, and nowhere else, the question that decided a call", async () => {
  const { tool } = createTool();
  const ledger = new RecordingLedger();
  const approver = answering({ approved: true, by: "ann" });
  const { executor } = createTestExecutor([tool], { rules: [], approver, ledger });
  expect(await executor.execute("bash", {})).toMatchObject({ success: true, notes: [] });
  expect(ledger.entries.at(-1)).toMatchObject({
    outcome: { notes: [`question: ${approver.asked[0]?.id}`] },
  });
});

describe("asking", () => {
  test("ToolExecutor.execute() refuses what must be asked where nobody can be, and says how to allow it", async () => {
    const { tool, ran } = createTool();
    const ledger = new RecordingLedger();
    const { executor } = createTestExecutor([tool], {
      rules: [{ decision: "ask", reason: "commands are seen by a person" }],
      howToAllow: () => "start it at a terminal",
      ledger,
    });
    expect(await executor.execute("bash", {})).toMatchObject({
      success: false,
      code: "TOOL_PERMISSION",
      error:
        'Permission denied: "bash" asks to run rm -rf build (commands are seen by a person), and there is nobody to ask here; start it at a terminal',
    });
    expect(ran).toEqual([]);
    expect(ledger.entries).toMatchObject([
      { ended: { decision: { decision: "deny", by: "nobody to ask" } } },
    ]);
  });

  test("ToolExecutor.execute() tells an owner who set nothing up how to allow a call", async () => {
    const { tool } = createTool();
    const { executor } = createTestExecutor([tool], { rules: [] });
    expect((await executor.execute("bash", {})).text).toContain(
      "allow it with a rule, or give the executor an approver",
    );
  });

  test("ToolExecutor.execute() asks about this tool version, these arguments and these effects", async () => {
    const read: Effect = { kind: "read", target: "/w/a", within: true };
    const { tool, ran } = createTool([read, run]);
    const approver = answering({ approved: true, by: "ann" });
    const rules = [{ decision: "allow", effect: "read" }] as const;
    const { executor } = createTestExecutor([tool], { rules, approver, approvalTimeoutMs: 60_000 });
    const origin = { channel: "telegram", id: "m1" };
    await executor.execute(
      "bash",
      {},
      {
        callId: "c1",
        agentId: "a",
        userId: "u",
        scope: "s",
        origin,
        allowedPaths: ["/w/p", "/w/q"],
      },
    );
    expect(approver.asked).toEqual([
      {
        id: expect.stringMatching(/^a_/),
        callId: "c1",
        toolName: "bash",
        toolTitle: "Shell",
        toolVersion: "3",
        params: { command: "rm -rf build" },
        effects: [run],
        folder: "/w/p",
        reason: "no rule allows it",
        offers: [],
        scope: "s",
        agentId: "a",
        userId: "u",
        origin,
        approvers: ["owner:*", "ann"],
        createdAt: 1_000_000,
        waitsUntil: 1_060_000,
        expiresAt: 1_060_000,
      },
    ]);
    expect(ran).toEqual([{ command: "rm -rf build" }]);
  });

  test("ToolExecutor.execute() asks the call's own approver before the executor's", async () => {
    const { tool } = createTool();
    const [own, general] = [
      answering({ approved: true, by: "own" }),
      answering({ approved: true, by: "general" }),
    ];
    const { executor } = createTestExecutor([tool], { rules: [], approver: general });
    await executor.execute("bash", {}, { approver: own });
    expect([own.asked.length, general.asked.length]).toEqual([1, 0]);
  });

  test("ToolExecutor.execute() refuses with the name and the reason of who said no", async () => {
    const { tool, ran } = createTool();
    const ledger = new RecordingLedger();
    const approver = answering({ approved: false, by: "ann", reason: "wrong folder" });
    const { executor } = createTestExecutor([tool], { rules: [], approver, ledger });
    expect(await executor.execute("bash", {})).toMatchObject({
      success: false,
      code: "TOOL_PERMISSION",
      error: 'Permission denied: "bash" asks to run rm -rf build, and ann said no (wrong folder)',
    });
    expect(ran).toEqual([]);
    expect(ledger.entries).toMatchObject([{ ended: { decision: { decision: "deny", by: "person:ann" } } }]);
  });

  test("ToolExecutor.execute() asks nobody about what a rule denies", async () => {
    const { tool, ran } = createTool();
    const approver = answering({ approved: true, by: "ann" });
    const rules = [
      { decision: "ask" },
      { decision: "deny", effect: "run", reason: "no shell here" },
    ] as const;
    const { executor } = createTestExecutor([tool], { rules, approver, grants: new MemoryGrants() });
    expect(await executor.execute("bash", {})).toMatchObject({
      code: "TOOL_PERMISSION",
      error: 'Permission denied: a rule forbids "bash" to run rm -rf build (no shell here)',
    });
    expect(approver.asked).toEqual([]);
    expect(ran).toEqual([]);
  });

  test.for<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("offline");
      },
    ],
    ["rejects", () => Promise.reject(new Error("offline"))],
    ["answers nothing", async () => undefined],
    ["answers true", async () => true],
    ["answers with a word", async () => ({ approved: "yes", by: "ann" })],
  ])("ToolExecutor.execute() takes an approver that %s for a no", async ([, ask]) => {
    const { tool, ran } = createTool();
    const { executor, clock } = createTestExecutor([tool], {
      rules: [],
      approver: { identity: "ann", ask: ask as Approver["ask"] },
    });
    expect(await executor.execute("bash", {})).toMatchObject({ success: false, code: "TOOL_PERMISSION" });
    expect(ran).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe("a question that stays open", () => {
  test("ToolExecutor.execute() takes no answer in time for a no, and tells the approver that it is over", async () => {
    const { tool, ran } = createTool();
    let answer = (_answer: ApprovalAnswer): void => {};
    let signal: AbortSignal | undefined;
    const approver: Approver = {
      identity: "ann",
      ask: (_approval, given) => {
        signal = given;
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    };
    const { executor, clock } = createTestExecutor([tool], { rules: [], approver });
    const pending = executor.execute("bash", {});
    await clock.advance(299_999);
    expect(signal?.aborted).toBe(false);
    await clock.advance(1);
    answer({ approved: true, by: "late ann" });
    expect(await pending).toMatchObject({
      success: false,
      code: "TOOL_PERMISSION",
      error: expect.stringContaining("nobody answered within 300000 ms"),
    });
    expect(signal?.aborted).toBe(true);
    expect(ran).toEqual([]);
  });

  test("ToolExecutor.execute() ends at once when its caller cancels during a question", async () => {
    const { tool, ran } = createTool();
    let asked: AbortSignal | undefined;
    const approver: Approver = {
      identity: "ann",
      ask: (_approval, signal) => {
        asked = signal;
        return new Promise(() => {});
      },
    };
    const { executor, clock } = createTestExecutor([tool], { rules: [], approver });
    const controller = new AbortController();
    const pending = executor.execute("bash", {}, { signal: controller.signal });
    await settle();
    controller.abort();
    expect(await pending).toMatchObject({ success: false, code: "TOOL_CANCELLED" });
    expect(asked?.aborted).toBe(true);
    expect(ran).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test("ToolExecutor.execute() takes no place among the running calls while it asks", async () => {
    const { tool } = createTool();
    const quick = defineTool({ ...tool, name: "quick", effects: () => [], execute: () => "done" });
    const approver: Approver = { identity: "ann", ask: () => new Promise(() => {}) };
    const { executor } = createTestExecutor([tool, quick], {
      rules: [{ decision: "allow", effect: "none" }],
      approver,
      maxConcurrent: 1,
    });
    void executor.execute("bash", {});
    await settle();
    expect(await executor.execute("quick", {})).toMatchObject({ success: true });
  });

  test("ToolExecutor.execute() starts the deadline of the tool after the answer", async () => {
    const { tool } = createTool();
    const deadlines: number[] = [];
    const timed = defineTool({ ...tool, execute: (_, { deadline }) => deadlines.push(deadline) });
    let answer = (_answer: ApprovalAnswer): void => {};
    const approver: Approver = {
      identity: "ann",
      ask: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    };
    const { executor, clock } = createTestExecutor([timed], { rules: [], approver });
    const pending = executor.execute("bash", {});
    await clock.advance(100_000);
    answer({ approved: true, by: "ann" });
    expect(await pending).toMatchObject({ success: true });
    expect(deadlines).toEqual([1_000_000 + 100_000 + 30_000]);
  });
});

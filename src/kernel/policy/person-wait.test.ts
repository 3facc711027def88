import { expect, test } from "vitest";
import { z } from "zod";
import { answering, createTool, MemoryApprovals, run } from "../../../test/support/questions.ts";
import { createTestExecutor, settle } from "../../../test/support/test-executor.ts";
import { defineTool } from "../tool/tool.ts";
import type { ApprovalAnswer, Approver } from "./approval.ts";

const yes: ApprovalAnswer = { approved: true, by: "owner:ada" };
const silent: Approver = { identity: "owner:ada", ask: () => new Promise(() => {}) };

test("ToolExecutor.execute() asks nobody and waits for nobody where the call has no time for a person, and keeps the question", async () => {
  const { tool, ran } = createTool();
  const approvals = new MemoryApprovals();
  const approver = answering(yes, "owner:ada");
  const { executor, clock } = createTestExecutor([tool], { rules: [], approvals, approver });
  const refused = await executor.execute("bash", {}, { personMs: 0 });
  const kept = approvals.kept[0]?.approval;
  expect(refused).toMatchObject({ code: "TOOL_PERMISSION", details: { approval: kept?.id } });
  expect(refused.text).toContain("the call does not wait for the answer");
  expect([approver.asked, ran, clock.pending, kept?.waitsUntil]).toEqual([[], [], 0, undefined]);
  await approvals.answer(kept?.id ?? "", yes);
  expect(await executor.execute("bash", {}, { personMs: 0 })).toMatchObject({ success: true });
});

test("ToolExecutor.execute() waits for a person as long as the call says, and never longer than the executor", async () => {
  const { tool } = createTool();
  const options = { rules: [], approver: silent, approvalTimeoutMs: 60_000 };
  for (const [personMs, waited] of [
    [20_000, 20_000],
    [90_000, 60_000],
  ] as const) {
    const approvals = new MemoryApprovals();
    const { executor, clock } = createTestExecutor([tool], { ...options, approvals });
    const pending = executor.execute("bash", {}, { personMs });
    await settle();
    await clock.advance(waited - 1);
    expect(approvals.kept[0]?.approval.waitsUntil).toBe(clock.now() + 1);
    await clock.advance(1);
    expect(await pending).toMatchObject({
      error: expect.stringContaining(`nobody answered within ${waited} ms`),
      details: { approval: approvals.kept[0]?.approval.id },
    });
  }
});

test("ToolExecutor.execute() keeps a question for as long as the call says, within bounds", async () => {
  const { tool } = createTool();
  for (const [questionLifeMs, life] of [
    [86_400_000, 86_400_000],
    [1, 1_000],
    [Number.MAX_SAFE_INTEGER, 2_592_000_000],
    [undefined, 3_600_000],
  ] as const) {
    const approvals = new MemoryApprovals();
    const { executor, clock } = createTestExecutor([tool], { rules: [], approvals });
    await executor.execute("bash", {}, { ...(questionLifeMs !== undefined && { questionLifeMs }) });
    expect(approvals.kept[0]?.approval.expiresAt).toBe(clock.now() + life);
  }
});

test("ToolExecutor.execute() waits for a person all the same where no later call could use the answer", async () => {
  const secret = defineTool({
    name: "login",
    description: "Log in.",
    parameters: z.object({ password: z.string() }),
    secretParams: ["password"],
    effects: async () => [run],
    execute: () => "in",
  });
  const { tool } = createTool();
  const approver = answering(yes, "owner:ada");
  const kept = createTestExecutor([secret], { rules: [], approvals: new MemoryApprovals(), approver });
  const params = { password: "hunter2hunter2" };
  expect(await kept.executor.execute("login", params, { personMs: 0 })).toMatchObject({ success: true });
  const unkept = createTestExecutor([tool], { rules: [], approver });
  expect(await unkept.executor.execute("bash", {}, { personMs: 0 })).toMatchObject({ success: true });
  const waiting = createTestExecutor([secret], {
    rules: [],
    approvals: new MemoryApprovals(),
    approver: silent,
  });
  const pending = waiting.executor.execute("login", params, { personMs: 0 });
  await settle();
  await waiting.clock.advance(300_000);
  const refused = await pending;
  expect(refused).toMatchObject({ code: "TOOL_PERMISSION", details: { approver: "owner:ada" } });
  expect(refused.success || refused.details).not.toHaveProperty("approval");
});

test("ToolExecutor.execute() lets the calls within a call wait for a person: it can't be made again from the middle", async () => {
  const { tool, ran } = createTool();
  const outer = defineTool({
    name: "outer",
    description: "Call another.",
    composes: true,
    parameters: z.object({}),
    execute: async (_params, context) => (await context.call("bash", {})).text,
  });
  const approver = answering(yes, "owner:ada");
  const { executor } = createTestExecutor([tool, outer], {
    rules: [{ tool: "outer", decision: "allow" }],
    approvals: new MemoryApprovals(),
    approver,
  });
  await executor.execute("outer", {}, { personMs: 0 });
  expect([approver.asked.length, ran.length]).toEqual([1, 1]);
});

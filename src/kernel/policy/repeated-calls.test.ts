import { expect, test } from "vitest";
import { z } from "zod";
import { answering, MemoryApprovals, MemoryGrants } from "../../../test/support/questions.ts";
import { createTestExecutor, RecordingLedger, settle } from "../../../test/support/test-executor.ts";
import type { RepeatedCall } from "../ports/ledger.ts";
import { defineTool, type Tool } from "../tool/tool.ts";

const beganAt = new Date(2026, 10, 25, 12, 4).getTime();

/** A ledger that knows of one call of unknown outcome: `send` with n = 1, for the task "t". */
class LedgerAfterCrash extends RecordingLedger {
  readonly looked: RepeatedCall[] = [];

  async mayHaveHappened(call: RepeatedCall): Promise<number | undefined> {
    this.looked.push(call);
    const isSame =
      call.toolName === "send" && JSON.stringify(call.params) === '{"n":1}' && call.taskId === "t";
    return isSame ? beganAt : undefined;
  }
}

function makeTool(over: Partial<Tool> = {}): { readonly tool: Tool; readonly sent: number[] } {
  const sent: number[] = [];
  const tool = defineTool({
    name: "send",
    description: "Send a number.",
    parameters: z.strictObject({ n: z.int() }),
    effects: () => [{ kind: "connect" as const, target: "https://example.com", within: false }],
    execute: ({ n }) => {
      sent.push(n);
      return `sent ${n}`;
    },
  });
  return { tool: { ...tool, ...over } as Tool, sent };
}

const task = { taskId: "t" };
const yes = { approved: true, by: "owner:ada" } as const;

test("a call that may have happened already asks, though a rule and a grant allow it, and says when that was", async () => {
  const { tool, sent } = makeTool();
  const grants = new MemoryGrants();
  grants.find = async () => ["g1"];
  const approvals = new MemoryApprovals();
  const { executor, clock } = createTestExecutor([tool], {
    ledger: new LedgerAfterCrash(),
    grants,
    approvals,
  });
  await clock.advance(beganAt + 60_000 - clock.now());
  expect(await executor.execute("send", { n: 1 }, task)).toMatchObject({
    code: "TOOL_PERMISSION",
    error: expect.stringContaining(
      '"send" asks to connect to https://example.com (it may have happened already at 12:04)',
    ),
  });
  expect(sent).toEqual([]);
  expect(approvals.kept[0]?.approval).toMatchObject({
    reason: "it may have happened already at 12:04",
    offers: [],
  });
});

test("a yes is to that one call; the next asks again", async () => {
  const { tool, sent } = makeTool();
  const approver = answering(yes);
  const { executor, clock } = createTestExecutor([tool], {
    ledger: new LedgerAfterCrash(),
    grants: new MemoryGrants(),
    approver,
  });
  await clock.advance(beganAt + 3 * 86_400_000 - clock.now());
  for (let times = 1; times <= 2; times++) {
    expect(await executor.execute("send", { n: 1 }, task)).toMatchObject({ success: true });
    expect(sent).toHaveLength(times);
    expect(approver.asked).toHaveLength(times);
  }
  expect(approver.asked[0]).toMatchObject({
    reason: "it may have happened already on 2026-11-25 at 12:04",
    offers: [],
  });
});

test("a rule that denies stays a denial, and a rule that asks keeps its reason", async () => {
  const { tool, sent } = makeTool();
  const approver = answering(yes);
  const ledger = new LedgerAfterCrash();
  const denying = createTestExecutor([tool], {
    ledger,
    approver,
    rules: [{ decision: "deny", reason: "never" }],
  });
  expect(await denying.executor.execute("send", { n: 1 }, task)).toMatchObject({ code: "TOOL_PERMISSION" });
  expect([sent, approver.asked, ledger.looked]).toEqual([[], [], []]);
  const asking = createTestExecutor([tool], {
    ledger,
    approver,
    rules: [{ decision: "ask", reason: "outside" }],
  });
  await asking.clock.advance(beganAt - asking.clock.now());
  await asking.executor.execute("send", { n: 1 }, task);
  expect(approver.asked[0]?.reason).toBe("it may have happened already at 12:04; outside");
});

test("mode locked refuses it", async () => {
  const { tool, sent } = makeTool();
  const { executor } = createTestExecutor([tool], { ledger: new LedgerAfterCrash(), mode: "locked" });
  expect(await executor.execute("send", { n: 1 }, task)).toMatchObject({ code: "TOOL_PERMISSION" });
  expect(sent).toEqual([]);
});

test.for<[string, Partial<Tool>, object, number]>([
  ["with other arguments", {}, { taskId: "t" }, 2],
  ["of another task", {}, { taskId: "u" }, 1],
])("a call %s does not ask", async ([, over, context, n]) => {
  const { tool, sent } = makeTool(over);
  const { executor } = createTestExecutor([tool], { ledger: new LedgerAfterCrash() });
  expect(await executor.execute("send", { n }, context)).toMatchObject({ success: true });
  expect(sent).toEqual([n]);
});

test.for<[string, Partial<Tool>, object]>([
  ["without a task", {}, {}],
  ["of a tool that only reads", { annotations: { readOnly: true } }, task],
  ["of an idempotent tool", { annotations: { idempotent: true } }, task],
])("nothing is looked up for a call %s", async ([, over, context]) => {
  const { tool, sent } = makeTool(over);
  const ledger = new LedgerAfterCrash();
  const { executor } = createTestExecutor([tool], { ledger });
  expect(await executor.execute("send", { n: 1 }, context)).toMatchObject({ success: true });
  expect([sent, ledger.looked]).toEqual([[1], []]);
});

test("one question is for a plan with such a call; a call that a tool makes by itself asks by itself", async () => {
  const { tool, sent } = makeTool();
  const planned = defineTool({
    name: "planned",
    description: "Send it by a plan.",
    parameters: z.strictObject({}),
    composes: () => [{ id: "one", name: "send", params: { n: 1 } }],
    execute: async (_, { call }) => (await call("send", { n: 1 })).text,
  });
  const later = defineTool({
    name: "later",
    description: "Send it.",
    parameters: z.strictObject({}),
    composes: true,
    execute: async (_, { call }) => (await call("send", { n: 1 })).text,
  });
  const approver = answering(yes);
  const { executor } = createTestExecutor([tool, planned, later], {
    ledger: new LedgerAfterCrash(),
    approver,
  });
  expect(await executor.execute("planned", {}, task)).toMatchObject({ result: "sent 1" });
  expect(approver.asked.map(({ toolName }) => toolName)).toEqual(["planned"]);
  expect(await executor.execute("later", {}, task)).toMatchObject({ result: "sent 1" });
  expect(approver.asked.map(({ toolName }) => toolName)).toEqual(["planned", "send"]);
  expect(sent).toEqual([1, 1]);
});

test("ToolExecutor.foresee() says what rules say, whatever has happened before", async () => {
  const { tool } = makeTool();
  const { executor } = createTestExecutor([tool], { ledger: new LedgerAfterCrash() });
  expect((await executor.foresee("send", { n: 1 }, task)).verdict.decision).toBe("allow");
});

test.for<["required" | "best-effort", boolean]>([
  ["required", false],
  ["best-effort", true],
])("a ledger that can't tell fails the call where it must be recorded: %s", async ([ledgerPolicy, runs]) => {
  const { tool } = makeTool();
  const ledger = new LedgerAfterCrash();
  ledger.mayHaveHappened = async () => {
    await settle();
    throw new Error("the disk is gone");
  };
  const { executor } = createTestExecutor([tool], { ledger, ledgerPolicy });
  expect((await executor.execute("send", { n: 1 }, task)).success).toBe(runs);
});

import { describe, expect, test } from "vitest";
import { answering, createTool, MemoryApprovals, MemoryGrants } from "../../test/support/questions.ts";
import { createTestExecutor, settle } from "../../test/support/test-executor.ts";
import type { Approval, ApprovalAnswer, Approver } from "./policy/approval.ts";
import { NobodyThereError } from "./policy/nobody-there.ts";

describe("questions that are kept", () => {
  const yes: ApprovalAnswer = { approved: true, by: "owner:ada" };

  test("ToolExecutor.execute() keeps a question that nobody can be asked here, and takes the answer once", async () => {
    const { tool, ran } = createTool();
    const approvals = new MemoryApprovals();
    const { executor } = createTestExecutor([tool], {
      rules: [],
      approvals,
      howToAllow: (_tool, _verdict, id) => `answer ${id}`,
    });
    const refused = await executor.execute("bash", {});
    const id = approvals.kept[0]?.approval.id as string;
    expect(refused).toMatchObject({
      code: "TOOL_PERMISSION",
      error: expect.stringContaining(`there is nobody to ask here; answer ${id}`),
    });
    await approvals.answer(id, yes);
    expect(await executor.execute("bash", {})).toMatchObject({ success: true });
    expect(await executor.execute("bash", {})).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(ran).toHaveLength(1);
  });

  test.for<[string, unknown, object]>([
    ["other arguments", { command: "ls" }, {}],
    ["another agent", {}, { agentId: "b" }],
    ["another scope", {}, { scope: "other" }],
    ["another folder", {}, { allowedPaths: ["/other"] }],
  ])(
    "ToolExecutor.execute() takes the answer to a kept question for no call with %s",
    async ([, params, context]) => {
      const { tool, ran } = createTool();
      const approvals = new MemoryApprovals();
      const { executor } = createTestExecutor([tool], { rules: [], approvals });
      await executor.execute("bash", {});
      await approvals.answer(approvals.kept[0]?.approval.id as string, yes);
      expect(await executor.execute("bash", params, context)).toMatchObject({ code: "TOOL_PERMISSION" });
      expect(ran).toEqual([]);
    },
  );

  test("ToolExecutor.execute() takes the first answer, from wherever it comes", async () => {
    const { tool, ran } = createTool();
    const approvals = new MemoryApprovals();
    const silent: Approver = { identity: "mcp:client", ask: () => new Promise(() => {}) };
    const { executor, clock } = createTestExecutor([tool], { rules: [], approvals, approver: silent });
    const pending = executor.execute("bash", {});
    await settle();
    await approvals.answer(approvals.kept[0]?.approval.id as string, yes);
    expect(await pending).toMatchObject({ success: true });
    expect(ran).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test("ToolExecutor.execute() keeps no yes of an approver that did not clearly say it", async () => {
    const { tool, ran } = createTool();
    const approvals = new MemoryApprovals();
    const approver = answering({ approved: "yes", by: "ann" } as unknown as ApprovalAnswer);
    const { executor } = createTestExecutor([tool], { rules: [], approvals, approver });
    expect(await executor.execute("bash", {})).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(approvals.kept.map(({ answer }) => answer)).toEqual([undefined]);
    expect(await executor.execute("bash", {})).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(ran).toEqual([]);
  });

  test("ToolExecutor.execute() asks about no more calls than may be open, also of those made at once", async () => {
    const { tool } = createTool();
    const [approvals, grants, asked] = [new MemoryApprovals(), new MemoryGrants(), new Set<string>()];
    const silent: Approver = {
      identity: "mcp:client",
      ask: ({ id }) => {
        asked.add(id);
        return new Promise(() => {});
      },
    };
    const options = { rules: [], approvals, grants, approver: silent, maxQuestions: 2 };
    const { executor, clock } = createTestExecutor([tool], options);
    const calls = Array.from({ length: 5 }, (_, at) => executor.execute("bash", { command: `rm ${at}` }));
    await settle();
    expect([approvals.kept.length, asked.size]).toEqual([2, 2]);
    await clock.advance(300_000);
    const texts = (await Promise.all(calls)).map(({ text }) => text);
    expect(texts.filter((text) => text.includes("2 questions of this caller wait"))).toHaveLength(3);
  });

  test("ToolExecutor.execute() keeps no more questions than it may, also of calls made at once", async () => {
    const { tool } = createTool();
    const approvals = new MemoryApprovals();
    const { executor } = createTestExecutor([tool], { rules: [], approvals, maxQuestions: 1 });
    await Promise.all(
      Array.from({ length: 9 }, (_, at) => executor.execute("bash", { command: `rm ${at}` })),
    );
    expect(approvals.kept).toHaveLength(6);
  });

  test("ToolExecutor.execute() counts a question that waits already once", async () => {
    const { tool } = createTool();
    const approvals = new MemoryApprovals();
    const { executor } = createTestExecutor([tool], { rules: [], approvals, maxQuestions: 1 });
    for (let calls = 0; calls < 10; calls++) await executor.execute("bash", {});
    expect(await executor.execute("bash", { command: "ls" })).toMatchObject({
      error: expect.stringContaining("there is nobody to ask here"),
    });
    expect(approvals.kept).toHaveLength(2);
  });

  test("ToolExecutor.execute() leaves a question open where its approver says that nobody was there, and brakes nobody for it", async () => {
    const { tool, ran } = createTool();
    const approvals = new MemoryApprovals();
    const approver: Approver = {
      identity: "mcp:client",
      ask: () => Promise.reject(new NobodyThereError("the client closed the question")),
    };
    const options = { rules: [], approvals, approver, maxQuestions: 1 };
    const { executor, clock } = createTestExecutor([tool], {
      ...options,
      howToAllow: (_tool, _verdict, id, unwatched) => `answer ${id}${unwatched === true ? ", or watch" : ""}`,
    });
    for (let calls = 0; calls < 20; calls++)
      expect(await executor.execute("bash", { command: `rm ${calls}` })).toMatchObject({
        code: "TOOL_PERMISSION",
        error: expect.stringMatching(
          /there is nobody to ask here \(the client closed the question\); answer a_\S+, or watch$/,
        ),
      });
    expect(approvals.kept.map(({ answer }) => answer)).toEqual(Array.from({ length: 20 }));
    await approvals.answer(approvals.kept[7]?.approval.id as string, yes);
    expect(await executor.execute("bash", { command: "rm 7" })).toMatchObject({ success: true });
    expect([ran.length, clock.pending]).toEqual([1, 0]);
  });

  test("ToolExecutor.execute() bounds the questions that are left open for want of a person, too", async () => {
    const { tool } = createTool();
    const approvals = new MemoryApprovals();
    const approver: Approver = { identity: "a", ask: () => Promise.reject(new NobodyThereError("")) };
    const { executor } = createTestExecutor([tool], { rules: [], approvals, approver });
    for (let calls = 0; calls < 101; calls++) await executor.execute("bash", { command: `rm ${calls}` });
    expect(approvals.kept).toHaveLength(100);
  });

  describe("while somebody watches", () => {
    class WatchedApprovals extends MemoryApprovals {
      watching = true;

      async watched(approvers: readonly string[]): Promise<boolean> {
        return this.watching && approvers.includes("owner:*");
      }
    }

    const absent: Approver = {
      identity: "mcp:client",
      ask: () => Promise.reject(new NobodyThereError("too fast")),
    };

    test.for<[string, Approver | undefined]>([
      ["that can ask nobody", undefined],
      ["whose client answers by itself", absent],
    ])("ToolExecutor.execute() has a call %s wait, and says so", async ([, approver]) => {
      const { tool, ran } = createTool();
      const approvals = new WatchedApprovals();
      const { executor, clock } = createTestExecutor([tool], {
        rules: [],
        approvals,
        ...(approver && { approver }),
      });
      const told: string[] = [];
      const onAwaited = (id: string) => void told.push(id);
      const pending = executor.execute("bash", {}, { onAwaited });
      await settle();
      await clock.advance(25_000);
      const approval = approvals.kept[0]?.approval as Approval;
      expect(approval.waitsUntil).toBeGreaterThan(clock.now());
      await approvals.answer(approval.id, yes);
      expect(await pending).toMatchObject({ success: true });
      expect(told).toEqual([approval.id, approval.id, approval.id]);
      expect([ran.length, clock.pending]).toEqual([1, 0]);
    });

    test("ToolExecutor.execute() waits no longer than its caller, and not once nobody watches", async () => {
      const { tool } = createTool();
      const approvals = new WatchedApprovals();
      const { executor, clock } = createTestExecutor([tool], { rules: [], approvals });
      const late = executor.execute("bash", {}, { watcherWaitMs: 50_000 });
      await settle();
      await clock.advance(50_000);
      expect(await late).toMatchObject({ error: expect.stringContaining("nobody answered within 50000 ms") });
      const left = executor.execute("bash", { command: "ls" });
      await settle();
      approvals.watching = false;
      await clock.advance(10_000);
      expect(await left).toMatchObject({
        error: expect.stringContaining("nobody looks at questions any more"),
      });
      expect([approvals.kept.length, clock.pending]).toEqual([2, 0]);
    });

    test("ToolExecutor.execute() has no more calls wait than questions may be open", async () => {
      const { tool } = createTool();
      const approvals = new WatchedApprovals();
      const options = { rules: [], approvals, maxQuestions: 2 };
      const { executor, clock } = createTestExecutor([tool], options);
      const calls = Array.from({ length: 4 }, (_, at) => executor.execute("bash", { command: `rm ${at}` }));
      await settle();
      expect(approvals.kept).toHaveLength(2);
      await clock.advance(300_000);
      const texts = (await Promise.all(calls)).map(({ text }) => text);
      expect(texts.filter((text) => text.includes("2 questions of this caller wait"))).toHaveLength(2);
    });
  });

  test("ToolExecutor.execute() runs one of two calls that share an answer", async () => {
    const { tool, ran } = createTool();
    const approvals = new MemoryApprovals();
    const silent: Approver = { identity: "mcp:client", ask: () => new Promise(() => {}) };
    const { executor } = createTestExecutor([tool], { rules: [], approvals, approver: silent });
    const both = [executor.execute("bash", {}), executor.execute("bash", {})];
    await settle();
    expect(approvals.kept).toHaveLength(1);
    await approvals.answer(approvals.kept[0]?.approval.id as string, yes);
    const [won, lost] = (await Promise.all(both)).toSorted((a, b) => Number(b.success) - Number(a.success));
    expect(won).toMatchObject({ success: true });
    expect(lost).toMatchObject({
      code: "TOOL_PERMISSION",
      error: expect.stringContaining("was for one call"),
    });
    expect(ran).toHaveLength(1);
  });

  test("ToolExecutor.execute() tells the store that a call was cancelled while it waited", async () => {
    const { tool } = createTool();
    const approvals = new MemoryApprovals();
    const silent: Approver = { identity: "mcp:client", ask: () => new Promise(() => {}) };
    const { executor } = createTestExecutor([tool], { rules: [], approvals, approver: silent });
    const caller = new AbortController();
    const pending = executor.execute("bash", {}, { signal: caller.signal });
    await settle();
    caller.abort();
    expect(await pending).toMatchObject({ code: "TOOL_CANCELLED" });
    expect(approvals.left).toEqual([approvals.kept[0]?.approval.id]);
  });

  test("ToolExecutor.execute() says that a yes from before the call let it run", async () => {
    const { tool } = createTool();
    const approvals = new MemoryApprovals();
    const silent: Approver = { identity: "mcp:client", ask: () => new Promise(() => {}) };
    const { executor } = createTestExecutor([tool], { rules: [], approvals, approver: silent });
    const caller = new AbortController();
    const pending = executor.execute("bash", {}, { signal: caller.signal });
    await settle();
    caller.abort();
    await pending;
    const id = approvals.kept[0]?.approval.id as string;
    await approvals.answer(id, yes);
    expect(await executor.execute("bash", {})).toMatchObject({
      success: true,
      notes: ["owner:ada had said yes to this before the call was made"],
    });
  });

  test("ToolExecutor.execute() takes no yes to a question that others were asked for another caller", async () => {
    const { tool, ran } = createTool();
    const approvals = new MemoryApprovals();
    const { executor } = createTestExecutor([tool], { rules: [], approvals });
    const [ada, eve] = ["mcp:ada", "mcp:eve"].map((identity): { readonly approver: Approver } => ({
      approver: { identity, ask: () => Promise.reject(new Error("away")) },
    }));
    await executor.execute("bash", {}, ada);
    await approvals.answer(approvals.kept[0]?.approval.id as string, { approved: true, by: "mcp:ada" });
    expect(await executor.execute("bash", {}, eve)).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(await executor.execute("bash", {})).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(ran).toEqual([]);
    expect(await executor.execute("bash", {}, ada)).toMatchObject({ success: true });
  });

  test("ToolExecutor.execute() keeps a question with secret arguments while its call waits, and no longer", async () => {
    const { tool } = createTool();
    const secret = { ...tool, secretParams: ["command"] };
    const approvals = new MemoryApprovals();
    const approver: Approver = { identity: "mcp:client", ask: () => Promise.reject(new Error("away")) };
    const options = { rules: [], approvals, approvalTimeoutMs: 1000, approvalLifeMs: 60_000 };
    const asking = createTestExecutor([secret], { ...options, approver });
    await asking.executor.execute("bash", {});
    const [question] = approvals.kept;
    expect(question?.approval.expiresAt).toBe(question?.approval.waitsUntil);
    const alone = createTestExecutor([secret], {
      ...options,
      howToAllow: (_tool, _verdict, id) => `id ${id}`,
    });
    expect(await alone.executor.execute("bash", {})).toMatchObject({
      error: expect.stringMatching(/nobody to ask here; id undefined$/),
    });
    expect(approvals.kept).toHaveLength(1);
  });
});

import { describe, expect, test } from "vitest";
import { answering, createTool, MemoryApprovals, MemoryGrants, run } from "../../test/support/questions.ts";
import { createTestExecutor, RecordingLedger, settle } from "../../test/support/test-executor.ts";
import { type ApprovalAnswer, type Approver, defineTool, type Effect, type Rule } from "./index.ts";

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

describe("remembered answers", () => {
  const remember: ApprovalAnswer = {
    approved: true,
    by: "ann",
    remember: { offer: "exact", term: "always" },
  };

  test("ToolExecutor.execute() does not ask again for the same call once it may remember", async () => {
    const { tool, ran } = createTool();
    const [approver, grants, ledger] = [answering(remember), new MemoryGrants(), new RecordingLedger()];
    const { executor } = createTestExecutor([tool], { rules: [], approver, grants, ledger });
    await executor.execute("bash", {}, { agentId: "a" });
    await executor.execute("bash", { command: "rm -rf build" }, { agentId: "a" });
    expect(approver.asked).toHaveLength(1);
    expect(ran).toHaveLength(2);
    expect(grants.added).toMatchObject([
      { by: "ann", term: "always", key: { agentId: "a", toolVersion: "3" } },
    ]);
    expect(ledger.entries).toMatchObject([
      { started: { decision: { decision: "allow", by: "person:ann" } } },
      {},
      { started: { decision: { decision: "allow", by: "grant:g1" } } },
      {},
    ]);
  });

  test.for<[string, unknown, object]>([
    ["other arguments", { command: "ls" }, { agentId: "a" }],
    ["another agent", {}, { agentId: "b" }],
    ["another scope", {}, { agentId: "a", scope: "other" }],
  ])("ToolExecutor.execute() asks again for %s", async ([, params, context]) => {
    const { tool } = createTool();
    const [approver, grants] = [answering(remember), new MemoryGrants()];
    const { executor } = createTestExecutor([tool], { rules: [], approver, grants });
    await executor.execute("bash", {}, { agentId: "a" });
    await executor.execute("bash", params, context);
    expect(approver.asked).toHaveLength(2);
  });

  test("ToolExecutor.execute() asks again for another version of the tool", async () => {
    const { tool } = createTool();
    const [approver, grants] = [answering(remember), new MemoryGrants()];
    const options = { rules: [], approver, grants };
    await createTestExecutor([tool], options).executor.execute("bash", {});
    await createTestExecutor([defineTool({ ...tool, version: "4" })], options).executor.execute("bash", {});
    expect(approver.asked).toHaveLength(2);
  });

  test("ToolExecutor.execute() asks again where the same arguments mean another file", async () => {
    const [approver, grants] = [answering(remember), new MemoryGrants()];
    for (const target of ["/one/build", "/other/build"]) {
      const { tool } = createTool([{ kind: "delete", target, within: true }]);
      const { executor } = createTestExecutor([tool], { rules: [], approver, grants });
      await executor.execute("bash", {});
    }
    expect(approver.asked).toHaveLength(2);
  });

  test("ToolExecutor.execute() remembers nothing that it was not told to, and no refusal", async () => {
    const { tool } = createTool();
    const grants = new MemoryGrants();
    for (const answer of [
      { approved: true, by: "ann" },
      { ...remember, approved: false },
    ] as ApprovalAnswer[]) {
      const { executor } = createTestExecutor([tool], { rules: [], approver: answering(answer), grants });
      await executor.execute("bash", {});
    }
    expect(grants.added).toEqual([]);
  });

  test("ToolExecutor.execute() runs an approved call even if the answer can't be remembered, and says so", async () => {
    const { tool, ran } = createTool();
    const grants = new MemoryGrants();
    grants.add = () => Promise.reject(new Error("disk full"));
    const { executor } = createTestExecutor([tool], { rules: [], approver: answering(remember), grants });
    expect(await executor.execute("bash", {})).toMatchObject({
      success: true,
      notes: ["the answer could not be remembered"],
    });
    expect(ran).toHaveLength(1);
  });

  test("ToolExecutor.execute() lets no remembered answer overrule a rule that denies", async () => {
    const { tool, ran } = createTool();
    const grants = new MemoryGrants();
    grants.find = async () => ["g1"];
    const { executor } = createTestExecutor([tool], { rules: [{ decision: "deny" }], grants });
    expect(await executor.execute("bash", {})).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(ran).toEqual([]);
  });
});

describe("answers that some rules keep short", () => {
  const rulesOf = (remember: Rule["remember"]): Rule[] => [
    { decision: "allow", effect: "run" },
    { decision: "ask", target: "rm *", ...(remember && { remember }) },
  ];

  test.for<[Rule["remember"], readonly (readonly string[])[]]>([
    [undefined, [["session", "time", "always"]]],
    ["always", [["session", "time", "always"]]],
    ["session", [["session"]]],
    ["never", []],
  ])(
    "ToolExecutor.execute() offers no longer term than a rule with remember %s",
    async ([remember, terms]) => {
      const { tool } = createTool();
      const [approver, grants] = [answering({ approved: true, by: "ann" }), new MemoryGrants()];
      const { executor } = createTestExecutor([tool], { rules: rulesOf(remember), approver, grants });
      await executor.execute("bash", {});
      const exact = approver.asked[0]?.offers.filter(({ id }) => id === "exact");
      expect(exact?.map((offer) => offer.terms)).toEqual(terms);
    },
  );

  test("ToolExecutor.execute() goes by the strictest of all rules that ask", async () => {
    const { tool } = createTool();
    const [approver, grants] = [answering({ approved: true, by: "ann" }), new MemoryGrants()];
    const rules = [...rulesOf(undefined), { decision: "ask", effect: "run", remember: "never" } as const];
    const { executor } = createTestExecutor([tool], { rules, approver, grants });
    await executor.execute("bash", {});
    expect(approver.asked.map(({ offers }) => offers)).toEqual([[]]);
  });

  test("ToolExecutor.execute() looks for no remembered answer where none may be", async () => {
    const { tool, ran } = createTool();
    const grants = new MemoryGrants();
    grants.find = async () => ["g1"];
    const { executor } = createTestExecutor([tool], { rules: rulesOf("never"), grants });
    expect(await executor.execute("bash", {})).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(ran).toEqual([]);
  });

  test("ToolExecutor.execute() does not remember what was not offered, and says so", async () => {
    const { tool } = createTool();
    const remember: ApprovalAnswer = {
      approved: true,
      by: "ann",
      remember: { offer: "exact", term: "always" },
    };
    const grants = new MemoryGrants();
    const { executor } = createTestExecutor([tool], {
      rules: rulesOf("session"),
      approver: answering(remember),
      grants,
    });
    expect(await executor.execute("bash", {})).toMatchObject({
      success: true,
      notes: [expect.stringContaining("not offered")],
    });
    expect(grants.added).toEqual([]);
  });
});

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
});

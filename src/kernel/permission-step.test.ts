import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createTestExecutor, RecordingLedger, settle } from "../../test/support/test-executor.ts";
import {
  type Approval,
  type ApprovalAnswer,
  type Approver,
  defineTool,
  describeEffects,
  type Effect,
  type GrantKey,
  type Grants,
} from "./index.ts";

const run: Effect = { kind: "run", target: "rm -rf build", within: false };

/** A tool that says what ran, and must be asked for. */
function createTool(effects: readonly Effect[] = [run]) {
  const ran: unknown[] = [];
  const tool = defineTool({
    name: "bash",
    title: "Shell",
    description: "Run a command.",
    version: "3",
    parameters: z.object({ command: z.string().default("rm -rf build") }),
    effects: async () => effects,
    execute: (params) => ran.push(params),
  });
  return { tool, ran };
}

function answering(answer: ApprovalAnswer): Approver & { readonly asked: Approval[] } {
  const asked: Approval[] = [];
  return {
    asked,
    ask: async (approval) => {
      asked.push(approval);
      return answer;
    },
  };
}

class MemoryGrants implements Grants {
  readonly added: [GrantKey, string][] = [];

  async find(key: GrantKey): Promise<string | undefined> {
    const at = this.added.findIndex(([other]) => JSON.stringify(other) === JSON.stringify(key));
    return at < 0 ? undefined : `g${at + 1}`;
  }

  async add(key: GrantKey, by: string): Promise<string> {
    this.added.push([key, by]);
    return `g${this.added.length}`;
  }
}

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
    await executor.execute("bash", {}, { callId: "c1", agentId: "a", userId: "u", scope: "s", origin });
    expect(approver.asked).toEqual([
      {
        id: expect.stringMatching(/^a_/),
        callId: "c1",
        toolName: "bash",
        toolTitle: "Shell",
        toolVersion: "3",
        params: { command: "rm -rf build" },
        effects: [run],
        reason: "no rule allows it",
        scope: "s",
        agentId: "a",
        userId: "u",
        origin,
        createdAt: 1_000_000,
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
      approver: { ask: ask as Approver["ask"] },
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
    const approver: Approver = { ask: () => new Promise(() => {}) };
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
  const remember = { approved: true, by: "ann", remember: true } as const;

  test("ToolExecutor.execute() does not ask again for the same call once it may remember", async () => {
    const { tool, ran } = createTool();
    const [approver, grants, ledger] = [answering(remember), new MemoryGrants(), new RecordingLedger()];
    const { executor } = createTestExecutor([tool], { rules: [], approver, grants, ledger });
    await executor.execute("bash", {}, { agentId: "a" });
    await executor.execute("bash", { command: "rm -rf build" }, { agentId: "a" });
    expect(approver.asked).toHaveLength(1);
    expect(ran).toHaveLength(2);
    expect(grants.added.map(([, by]) => by)).toEqual(["ann"]);
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
      { approved: false, by: "ann", remember: true },
    ] as const) {
      const { executor } = createTestExecutor([tool], { rules: [], approver: answering(answer), grants });
      await executor.execute("bash", {});
    }
    expect(grants.added).toEqual([]);
  });

  test("ToolExecutor.execute() runs an approved call even if the answer can't be remembered, and says so", async () => {
    const { tool, ran } = createTool();
    const grants: Grants = { find: async () => undefined, add: () => Promise.reject(new Error("disk full")) };
    const { executor } = createTestExecutor([tool], { rules: [], approver: answering(remember), grants });
    expect(await executor.execute("bash", {})).toMatchObject({
      success: true,
      notes: ["the answer could not be remembered"],
    });
    expect(ran).toHaveLength(1);
  });

  test("ToolExecutor.execute() lets no remembered answer overrule a rule that denies", async () => {
    const { tool, ran } = createTool();
    const grants: Grants = { find: async () => "g1", add: async () => "g1" };
    const { executor } = createTestExecutor([tool], { rules: [{ decision: "deny" }], grants });
    expect(await executor.execute("bash", {})).toMatchObject({ code: "TOOL_PERMISSION" });
    expect(ran).toEqual([]);
  });
});

test("ToolExecutor.execute() does not wait for ever for a tool to say what it will do", async () => {
  const { tool, ran } = createTool();
  const slow = defineTool({ ...tool, effects: () => new Promise<readonly Effect[]>(() => {}) });
  const { executor, clock } = createTestExecutor([slow]);
  const pending = executor.execute("bash", {});
  await clock.advance(30_000);
  expect(await pending).toMatchObject({ success: false, code: "TOOL_TIMEOUT" });
  expect(ran).toEqual([]);
});

test("describeEffects() says at most three effects, and shows what would be invisible", () => {
  const effects = (["read", "write", "delete", "run", "connect"] as const).map(
    (kind): Effect => ({
      kind,
      target: `a\u202e${kind}`,
      within: true,
    }),
  );
  expect(describeEffects(effects)).toBe(
    "read a\\u{202e}read, change a\\u{202e}write, delete a\\u{202e}delete and 2 more",
  );
  expect(describeEffects([])).toBe("run");
});

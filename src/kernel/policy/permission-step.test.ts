import { describe, expect, test } from "vitest";
import {
  answering,
  createTool,
  MemoryApprovals,
  MemoryGrants,
  run,
} from "../../../test/support/questions.ts";
import { createTestExecutor, RecordingLedger } from "../../../test/support/test-executor.ts";
import type { Effect } from "../tool/effect.ts";
import { defineTool } from "../tool/tool.ts";
import type { ApprovalAnswer } from "./approval.ts";
import type { Mode } from "./modes.ts";
import { describeEffects } from "./permission-text.ts";
import type { Verdict } from "./permissions.ts";
import type { Rule } from "./rules.ts";

describe("modes", () => {
  test("ToolExecutor.execute() asks nobody and remembers nothing in mode locked, and says so", async () => {
    const { tool, ran } = createTool();
    const ledger = new RecordingLedger();
    const [approver, grants, approvals] = [
      answering({ approved: true, by: "ann" }),
      new MemoryGrants(),
      new MemoryApprovals(),
    ];
    grants.find = async () => ["g1"];
    const { executor } = createTestExecutor([tool], {
      rules: [],
      mode: "locked",
      approver,
      grants,
      approvals,
      ledger,
    });
    expect(await executor.execute("bash", {})).toMatchObject({
      code: "TOOL_PERMISSION",
      error:
        'Permission denied: "bash" asks to run rm -rf build, and mode locked asks nobody; a rule that allows it, or another mode, would let it run',
    });
    expect([ran, approver.asked, approvals.kept]).toEqual([[], [], []]);
    expect(ledger.entries).toMatchObject([{ ended: { decision: { decision: "deny", by: "mode locked" } } }]);
  });

  test("ToolExecutor.execute() still runs in mode locked what a rule allows", async () => {
    const { tool } = createTool();
    const { executor } = createTestExecutor([tool], { rules: [{ decision: "allow" }], mode: "locked" });
    expect(await executor.execute("bash", {})).toMatchObject({ success: true });
  });

  test.for<[Mode, Mode | undefined, boolean]>([
    ["ask", undefined, true],
    ["plan", undefined, false],
    ["ask", "plan", false],
    ["plan", "ask", true],
  ])(
    "ToolExecutor.execute() goes by the mode of the call (%s, %s) before its own",
    async ([own, ofCall, runs]) => {
      const { tool } = createTool();
      const { executor } = createTestExecutor([tool], { mode: own });
      const result = await executor.execute("bash", {}, ofCall === undefined ? {} : { mode: ofCall });
      expect(result.success).toBe(runs);
    },
  );
});

test("ToolExecutor.execute() notes in the ledger, and nowhere else, how what a call starts is kept apart", async () => {
  const isolation = "bubblewrap";
  const starts = (target: string): Effect => ({ kind: "run", target, within: false, isolation });
  const { tool } = createTool([starts("a"), starts("b"), { kind: "read", target: "/w/a", within: true }]);
  const ledger = new RecordingLedger();
  const { executor } = createTestExecutor([tool], { ledger });
  expect(await executor.execute("bash", {})).toMatchObject({ success: true, notes: [] });
  expect(ledger.entries.at(-1)).toMatchObject({ outcome: { notes: ["isolation: bubblewrap"] } });
});

describe("a policy to come", () => {
  const shadowRules: Rule[] = [{ decision: "allow" }, { decision: "deny", target: "rm *", reason: "soon" }];

  test("ToolExecutor.execute() notes in the ledger, and nowhere else, what it would decide otherwise", async () => {
    const { tool, ran } = createTool();
    const ledger = new RecordingLedger();
    const { executor } = createTestExecutor([tool], { shadowRules, ledger });
    expect(await executor.execute("bash", {})).toMatchObject({ success: true, notes: [] });
    expect(ran).toHaveLength(1);
    expect(ledger.entries).toMatchObject([
      { started: { decision: { decision: "allow" } } },
      { outcome: { notes: [`shadow: deny instead of allow, by ${JSON.stringify(shadowRules[1])}`] } },
    ]);
  });

  test("ToolExecutor.execute() notes nothing where it would decide the same, in whatever mode", async () => {
    const { tool } = createTool();
    const ledger = new RecordingLedger();
    const rules: Rule[] = [{ decision: "deny", reason: "always" }];
    const { executor } = createTestExecutor([tool], { rules, shadowRules: [], ledger });
    await executor.execute("bash", {}, { mode: "plan" });
    expect(ledger.entries).toMatchObject([{ outcome: { notes: [] } }]);
  });

  test("ToolExecutor tells of a rule that can't be used at the start, also of a policy to come", () => {
    const bad = [{ decision: "deny", tol: "x" }] as unknown as Rule[];
    expect(() => createTestExecutor([], { rules: bad })).toThrow(TypeError);
    expect(() => createTestExecutor([], { shadowRules: bad })).toThrow(TypeError);
  });
});

describe("foreseeing", () => {
  const ask: Rule = { decision: "ask", effect: "run", reason: "seen by a person" };

  test("ToolExecutor.foresee() says what would be decided, and nothing runs and nobody is asked", async () => {
    const { tool, ran } = createTool();
    const [approver, grants, approvals] = [
      answering({ approved: true, by: "ann" }),
      new MemoryGrants(),
      new MemoryApprovals(),
    ];
    const ledger = new RecordingLedger();
    grants.why = "it was allowed for version 2";
    const { executor } = createTestExecutor([tool], { rules: [ask], approver, grants, approvals, ledger });
    expect(await executor.foresee("bash", {})).toMatchObject({
      tool: { name: "bash" },
      params: { command: "rm -rf build" },
      effects: [run],
      trust: "trusted",
      mode: "ask",
      verdict: { decision: "ask", rule: ask, effects: [run] },
      judgements: [{ effect: run, decision: "ask", rule: ask, holding: [ask] }],
      grants: undefined,
      whyAsked: "it was allowed for version 2",
    });
    expect([ran, approver.asked, approvals.kept, ledger.entries, grants.peeked]).toEqual([[], [], [], [], 1]);
  });

  test("ToolExecutor.foresee() names the grants that answer, without using them", async () => {
    const { tool } = createTool();
    const grants = new MemoryGrants();
    const remember: ApprovalAnswer = {
      approved: true,
      by: "ann",
      remember: { offer: "exact", term: "always" },
    };
    const { executor } = createTestExecutor([tool], { rules: [ask], approver: answering(remember), grants });
    await executor.execute("bash", {});
    expect(await executor.foresee("bash", {})).toMatchObject({ grants: ["g1"], whyAsked: undefined });
    expect(grants.peeked).toBe(1);
    expect(await executor.foresee("bash", {}, { mode: "locked" })).toMatchObject({ grants: undefined });
  });

  test("ToolExecutor.foresee() judges what a stranger asks for as data from outside", async () => {
    const { tool } = createTool();
    const rules: Rule[] = [{ decision: "allow" }, { decision: "deny", trust: "untrusted" }];
    const { executor } = createTestExecutor([tool], { rules });
    expect((await executor.foresee("bash", {})).verdict.decision).toBe("allow");
    expect((await executor.foresee("bash", {}, { trust: "untrusted" })).verdict.decision).toBe("deny");
  });

  test.for<[string, string, unknown, object, string]>([
    ["unknown", "bsh", {}, {}, "TOOL_NOT_FOUND"],
    ["not callable", "bash", {}, { allowedTools: [] }, "TOOL_NOT_CALLABLE"],
    ["called wrongly", "bash", { command: [] }, {}, "TOOL_VALIDATION"],
  ])("ToolExecutor.foresee() throws for a tool that is %s", async ([, name, params, context, code]) => {
    const { tool } = createTool();
    const { executor } = createTestExecutor([tool]);
    await expect(executor.foresee(name, params, context)).rejects.toMatchObject({ code });
  });

  test("ToolExecutor.foresee() says of any call what execute() then does", async () => {
    const words: (Verdict["decision"] | undefined)[] = ["allow", "ask", "deny", undefined];
    for (const word of words) {
      const { tool } = createTool();
      const { executor } = createTestExecutor([tool], {
        rules: word === undefined ? [] : [{ decision: word }],
      });
      const { verdict } = await executor.foresee("bash", {});
      expect((await executor.execute("bash", {})).success).toBe(verdict.decision === "allow");
    }
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

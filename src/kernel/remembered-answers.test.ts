import { describe, expect, test } from "vitest";
import { answering, createTool, MemoryGrants } from "../../test/support/questions.ts";
import { createTestExecutor, RecordingLedger } from "../../test/support/test-executor.ts";
import type { ApprovalAnswer } from "./policy/approval.ts";
import type { Rule } from "./policy/rules.ts";
import { defineTool } from "./tool/tool.ts";

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
  const makeRules = (remember: Rule["remember"]): Rule[] => [
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
      const { executor } = createTestExecutor([tool], { rules: makeRules(remember), approver, grants });
      await executor.execute("bash", {});
      const exact = approver.asked[0]?.offers.filter(({ id }) => id === "exact");
      expect(exact?.map((offer) => offer.terms)).toEqual(terms);
    },
  );

  test("ToolExecutor.execute() goes by the strictest of all rules that ask", async () => {
    const { tool } = createTool();
    const [approver, grants] = [answering({ approved: true, by: "ann" }), new MemoryGrants()];
    const rules = [...makeRules(undefined), { decision: "ask", effect: "run", remember: "never" } as const];
    const { executor } = createTestExecutor([tool], { rules, approver, grants });
    await executor.execute("bash", {});
    expect(approver.asked.map(({ offers }) => offers)).toEqual([[]]);
  });

  test("ToolExecutor.execute() looks for no remembered answer where none may be", async () => {
    const { tool, ran } = createTool();
    const grants = new MemoryGrants();
    grants.find = async () => ["g1"];
    const { executor } = createTestExecutor([tool], { rules: makeRules("never"), grants });
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
      rules: makeRules("session"),
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

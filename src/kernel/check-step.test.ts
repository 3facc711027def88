import { expect, test } from "vitest";
import { createTestExecutor, settle } from "../../test/support/test-executor.ts";
import type { CheckContext } from "./call/context.ts";
import type { Approval } from "./policy/approval.ts";
import type { Rule } from "./policy/rules.ts";
import type { Effect } from "./tool/effect.ts";
import { defineTool } from "./tool/tool.ts";

const remove: Effect = { kind: "delete", target: "/work/a", within: true };

function setUp(rules: readonly Rule[], check: (context: CheckContext) => void | Promise<void> = () => {}) {
  const asked: Approval[] = [];
  const checked: CheckContext[] = [];
  const tool = defineTool({
    name: "remove",
    description: "Remove a thing.",
    parameters: { type: "object" },
    effects: () => [remove],
    check: (_params, context) => {
      checked.push(context);
      return check(context);
    },
    execute: () => "removed",
  });
  const approver = {
    identity: "owner:ada",
    ask: (approval: Approval) => {
      asked.push(approval);
      return Promise.resolve({ approved: true, by: "owner:ada" } as const);
    },
  };
  return { ...createTestExecutor([tool], { rules, approver }), asked, checked };
}

test("a check that throws ends the call with its error, and nobody is asked", async () => {
  const { executor, asked } = setUp([{ decision: "ask" }], () => {
    throw Object.assign(new Error("Cannot remove it: nothing is there"), { code: "NOTHING_THERE" });
  });
  expect(await executor.execute("remove", {})).toMatchObject({ success: false, code: "NOTHING_THERE" });
  expect(asked).toEqual([]);
});

test("a check is made only where a person would be asked next", async () => {
  for (const [rules, mode, times] of [
    [[{ decision: "allow" }], "ask", 0],
    [[{ decision: "deny" }], "ask", 0],
    [[{ decision: "ask" }], "locked", 0],
    [[{ decision: "ask" }], "ask", 1],
  ] as const) {
    const { executor, checked } = setUp(rules);
    await executor.execute("remove", {}, { mode });
    expect(checked).toHaveLength(times);
  }
});

test("a check runs in a preview of a call where it is asked for, and the preview shows the call as a person would see it", async () => {
  const { executor, asked, checked } = setUp([{ decision: "ask" }]);
  const { asked: shown } = await executor.foresee("remove", {});
  expect(checked).toEqual([]);
  expect(shown).toMatchObject({ toolName: "remove", params: {}, effects: [remove] });
  await executor.foresee("remove", {}, {}, { check: true });
  expect(checked).toHaveLength(1);
  expect(asked).toEqual([]);
});

test("a preview may run the check of a call that nobody would be asked about", async () => {
  const { executor, checked } = setUp([{ decision: "allow" }]);
  await executor.foresee("remove", {}, {}, { check: true });
  expect(checked).toEqual([]);
  await executor.foresee("remove", {}, {}, { check: "always" });
  expect(checked).toHaveLength(1);
});

test("a check is told what the call may do unasked, and for whom it is", async () => {
  const { executor, checked } = setUp([
    { decision: "ask", effect: "delete" },
    { decision: "allow", effect: "read", within: true },
    { decision: "deny", effect: "read", target: "/work/secret" },
  ]);
  const context = { allowedPaths: ["/work"], agentId: "a", scope: "s", project: "/work" };
  expect(await executor.execute("remove", {}, context)).toMatchObject({ success: true });
  expect(checked).toMatchObject([context]);
  const read = (target: string, within: boolean) => checked[0]?.allows({ kind: "read", target, within });
  expect([read("/work/a", true), read("/else", false), read("/work/secret", true)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(checked[0]?.allows(remove)).toBe(false);
});

test("what was checked is asked about and run, whatever the caller does to its arguments meanwhile", async () => {
  const params = { path: "a" };
  const { executor, asked } = setUp([{ decision: "ask" }], () => {
    params.path = "b";
  });
  await executor.execute("remove", params);
  expect(asked).toMatchObject([{ params: { path: "a" } }]);
});

test("a check that does not come to an end is given up, and so is the call", async () => {
  const { executor, asked, clock } = setUp([{ decision: "ask" }], () => new Promise(() => {}));
  const result = executor.execute("remove", {});
  await settle();
  await clock.advance(30_000);
  expect(await result).toMatchObject({ code: "TOOL_TIMEOUT" });
  expect(asked).toEqual([]);
});

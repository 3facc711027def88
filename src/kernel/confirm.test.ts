import { expect, test } from "vitest";
import { z } from "zod";
import { answering } from "../../test/support/questions.ts";
import { allowAll, createTestExecutor } from "../../test/support/test-executor.ts";
import { confirmRule } from "./policy/permissions.ts";
import type { Effect } from "./tool/effect.ts";
import { defineTool } from "./tool/tool.ts";

function deploying(effects: readonly Effect[] = []) {
  return defineTool({
    name: "deploy",
    description: "Deploy.",
    parameters: z.object({}),
    annotations: { readOnly: true, openWorld: false },
    confirm: true,
    effects: () => effects,
    execute: () => "done",
  });
}

test.for<{ what: string; effects: readonly Effect[] }>([
  { what: "no effect", effects: [] },
  { what: "an effect that rules allow", effects: [{ kind: "run", target: "ls", within: true }] },
])("a tool with `confirm` and $what asks each time, and no answer is remembered", async ({ effects }) => {
  const approver = answering(
    { approved: true, by: "ada", remember: { offer: "exact", term: "always" } },
    "ada",
  );
  const { executor } = createTestExecutor([deploying(effects)], { rules: allowAll, approver });
  for (const _call of [1, 2]) expect((await executor.execute("deploy", {})).success).toBe(true);
  expect(approver.asked.map(({ offers }) => offers ?? [])).toEqual([[], []]);
});

test("a tool with `confirm` is refused where nobody can be asked, and where a rule denies", async () => {
  const { executor } = createTestExecutor([deploying()]);
  const foreseen = await executor.foresee("deploy", {}, {});
  expect(foreseen.verdict).toMatchObject({ decision: "ask", rule: confirmRule });
  expect(await executor.execute("deploy", {})).toMatchObject({ code: "TOOL_PERMISSION" });
  const strict = createTestExecutor([deploying()], { rules: [{ decision: "deny", tool: "deploy" }] });
  expect((await strict.executor.foresee("deploy", {}, {})).verdict.decision).toBe("deny");
});

test("of a tool without `confirm` only the calls ask that have an effect with it, each time", async () => {
  const move = defineTool({
    name: "move",
    description: "Move.",
    parameters: z.object({ to: z.string() }),
    effects: ({ to }): readonly Effect[] => [
      { kind: "write", target: to, within: true },
      ...(to === "live" ? [{ kind: "write", target: "users", within: true, confirm: true } as const] : []),
    ],
    execute: () => "done",
  });
  const approver = answering(
    { approved: true, by: "ada", remember: { offer: "exact", term: "always" } },
    "ada",
  );
  const { executor } = createTestExecutor([move], { rules: allowAll, approver });
  expect((await executor.execute("move", { to: "test" })).success).toBe(true);
  expect(approver.asked).toEqual([]);
  for (const _call of [1, 2]) expect((await executor.execute("move", { to: "live" })).success).toBe(true);
  expect(approver.asked.map(({ offers, effects }) => [offers, effects.map(({ target }) => target)])).toEqual([
    [[], ["users"]],
    [[], ["users"]],
  ]);
  const denying = [{ decision: "deny", target: "users" } as const];
  const { executor: strict } = createTestExecutor([move], { rules: denying, approver });
  expect((await strict.foresee("move", { to: "live" })).verdict.decision).toBe("deny");
});

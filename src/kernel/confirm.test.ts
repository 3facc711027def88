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

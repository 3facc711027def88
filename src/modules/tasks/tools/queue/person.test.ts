import { expect, onTestFinished, test } from "vitest";
import { createTestExecutor } from "../../../../../test/support/test-executor.ts";
import { openStore } from "../../../../app/store/index.ts";
import type { CallContext } from "../../../../kernel/index.ts";
import { queueTools } from "./index.ts";

async function openQueue() {
  const store = await openStore({ path: ":memory:" });
  onTestFinished(() => store.close());
  const { executor } = createTestExecutor(queueTools({ tasks: store.tasks, project: "shop" }));
  const run = (tool: string, params: object, context: CallContext = {}) =>
    executor.run(tool, params, context);
  const ok = async (tool: string, params: object, context: CallContext = {}) => {
    const result = await run(tool, params, context);
    if (!result.success) throw new Error(`${tool}: ${result.text}`);
    return result.result as { readonly created: string };
  };
  return {
    run,
    ok,
    create: async (title: string, params: object) => (await ok("create_task", { title, ...params })).created,
    readState: async (id: string) => (await store.tasks.require("local", id)).state,
    block: async (id: string) => {
      await ok("claim_task", { task_id: id });
      await ok("stop_task", { task_id: id });
    },
  };
}

test("no agent takes away that a person looks at what was done", async () => {
  const { create, ok, run, block, readState } = await openQueue();
  const id = await create("Release", { requires_approval: true });
  const checked = await create("Draw", { verification_type: "human" });
  const after = await create("Tell", { depends_on: [id] });
  await block(id);
  await block(checked);
  const loosening: readonly [string, object][] = [
    ["skip_task", { task_id: id }],
    ["skip_task", { task_id: checked }],
    ["edit_task", { task_id: id, status: "COMPLETED" }],
    ["edit_task", { task_id: checked, verification_type: "auto_test" }],
  ];
  for (const context of [
    {},
    { origin: { channel: "mcp" } },
    { agentId: "painter", origin: { channel: "cli" } },
  ])
    for (const [tool, params] of loosening)
      expect(await run(tool, params, context), tool).toMatchObject({
        code: "TOOL_BLOCKED",
        error: expect.stringContaining("a person"),
      });
  expect(await readState(after)).toBe("DEFINED");
  const person = { origin: { channel: "cli" } };
  await ok("edit_task", { task_id: checked, verification_type: "auto_test" }, person);
  expect(await ok("skip_task", { task_id: id }, person)).toMatchObject({ unblocked: [{ id: after }] });
});

import { expect, onTestFinished, test } from "vitest";
import { createTestExecutor } from "../../../../../test/support/test-executor.ts";
import { openStore } from "../../../../app/store/index.ts";
import type { Approver, CallContext } from "../../../../kernel/index.ts";
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

const yes: Approver = { identity: "owner:ada", ask: async () => ({ approved: true, by: "owner:ada" }) };
const no: Approver = { identity: "owner:ada", ask: async () => ({ approved: false, by: "owner:ada" }) };

/** Tasks that a person has to look at, tasks that wait for them, and every call by which these would go on without. */
async function openGuarded() {
  const queue = await openQueue();
  const { create, block } = queue;
  const id = await create("Release", { requires_approval: true });
  const checked = await create("Draw", { verification_type: "human" });
  const after = await create("Tell", { depends_on: [id] });
  const later = await create("Sleep", { depends_on: [after] });
  await block(id);
  await block(checked);
  const loosening: readonly [string, object][] = [
    ["skip_task", { task_id: id }],
    ["skip_task", { task_id: checked }],
    ["edit_task", { task_id: id, status: "COMPLETED" }],
    ["edit_task", { task_id: checked, verification_type: "auto_test" }],
    ["edit_task", { task_id: after, status: "READY" }],
    ["restart_task", { task_id: after }],
    ["restart_task", { task_id: later }],
    ["remove_dependency", { task_id: after, depends_on: id }],
    ["remove_dependency", { task_id: later, depends_on: after }],
    ["delete_task", { task_id: id, force: true }],
    ["delete_task", { task_id: after, force: true }],
  ];
  const readStates = () => Promise.all([id, checked, after, later].map(queue.readState));
  return { ...queue, id, checked, after, later, loosening, readStates };
}

const guarded = ["BLOCKED", "BLOCKED", "DEFINED", "DEFINED"];

test("no agent takes away that a person looks at what was done", async () => {
  const { loosening, run, readStates } = await openGuarded();
  let asked = 0;
  const approver: Approver = { ...yes, ask: async () => ({ approved: ++asked > 0, by: "owner:ada" }) };
  for (const context of [
    {},
    { origin: { channel: "mcp" } },
    { agentId: "painter", origin: { channel: "cli" } },
  ])
    for (const [tool, params] of loosening)
      expect(await run(tool, params, { ...context, approver }), tool).toMatchObject({
        code: "TOOL_BLOCKED",
        error: expect.stringContaining("a person"),
      });
  expect(asked).toBe(0);
  expect(await readStates()).toEqual(guarded);
});

test("what an agent's own shell calls is asked about, and nothing happens without a person's yes", async () => {
  const { loosening, run, readStates } = await openGuarded();
  for (const context of [{}, { approver: no }, { mode: "auto" } as const])
    for (const [tool, params] of loosening)
      expect(await run(tool, params, { origin: { channel: "cli" }, ...context }), tool).toMatchObject({
        success: false,
        code: "TOOL_PERMISSION",
      });
  expect(await readStates()).toEqual(guarded);
});

test("a person takes it away by a yes, and nobody is asked about what no person has to look at", async () => {
  const { create, ok, checked, after, id, later, readStates } = await openGuarded();
  const person = { origin: { channel: "cli" }, approver: yes };
  await ok("edit_task", { task_id: checked, verification_type: "auto_test" }, person);
  await ok("restart_task", { task_id: later }, person);
  expect(await ok("skip_task", { task_id: id }, person)).toMatchObject({ unblocked: [{ id: after }] });
  expect(await readStates()).toEqual(["COMPLETED", "BLOCKED", "READY", "READY"]);
  const asking = { approver: no };
  const first = await create("Boil", {});
  const second = await create("Pour", { depends_on: [first] });
  const third = await create("Drink", { depends_on: [second] });
  await ok("restart_task", { task_id: third }, asking);
  await ok("remove_dependency", { task_id: second, depends_on: first }, asking);
  await ok("delete_task", { task_id: second, force: true }, asking);
});

test("reopen_with_feedback begins no task before what a person has to approve, unless a person says so", async () => {
  const { block, create, ok, run, readState } = await openQueue();
  const id = await create("Release", { requires_approval: true });
  const other = await create("Tell", {});
  await block(other);
  await ok("add_dependency", { task_id: other, depends_on: id });
  const feedback = { task_id: other, feedback: "Louder" };
  expect(await run("reopen_with_feedback", feedback)).toMatchObject({ code: "TOOL_BLOCKED" });
  expect(await readState(other)).toBe("BLOCKED");
  await ok("reopen_with_feedback", feedback, { origin: { channel: "console" }, approver: yes });
  expect(await readState(other)).toBe("READY");
});

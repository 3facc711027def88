import { expect, onTestFinished, test } from "vitest";
import { createTestExecutor } from "../../../../test/support/test-executor.ts";
import { openStore } from "../../../app/store/index.ts";
import type { Approver, CallContext } from "../../../kernel/index.ts";
import { approveTaskTool } from "./approve-task.ts";

const scope = "local";
const yes: Approver = { identity: "owner:ada", ask: async () => ({ approved: true, by: "owner:ada" }) };
const person: CallContext = { origin: { channel: "cli" }, userId: "owner:ada", approver: yes };

async function open() {
  const store = await openStore({ path: ":memory:" });
  onTestFinished(() => store.close());
  const { executor } = createTestExecutor([approveTaskTool({ tasks: store.tasks })]);
  const { tasks } = store;
  const { id } = await tasks.create({ scope, projectId: "app", title: "Release", requiresApproval: true });
  const { id: after } = await tasks.create({ scope, projectId: "app", title: "Tell", dependsOn: [id] });
  const work = async () => {
    const claimed = await tasks.claim({ scope, id, agentId: "painter", leaseMs: 60_000 });
    await tasks.end({ scope, id, lease: claimed?.lease ?? "", result: { outcome: "completed" } });
  };
  return {
    id,
    tasks,
    work,
    approve: (context: CallContext) => executor.run("approve_task", { task_id: id }, context),
    readStates: async () => [
      (await tasks.require(scope, id)).state,
      (await tasks.require(scope, after)).state,
    ],
  };
}

test("approve_task completes a task after a person's yes, and those that wait for it can begin", async () => {
  const { id, tasks, work, approve, readStates } = await open();
  await work();
  expect(await approve(person)).toMatchObject({ result: { approved: id, title: "Release" } });
  expect(await readStates()).toEqual(["COMPLETED", "READY"]);
  expect((await tasks.happenings({ scope, taskId: id, limit: 1 }))[0]?.by).toBe("owner:ada");
});

test("approve_task asks even where a rule allows all, and nothing happens without a yes", async () => {
  const { work, approve, readStates } = await open();
  await work();
  const no: Approver = { identity: "owner:ada", ask: async () => ({ approved: false, by: "owner:ada" }) };
  for (const context of [{ ...person, approver: no }, { origin: { channel: "cli" } }])
    expect(await approve({ ...context, mode: "auto" })).toMatchObject({
      success: false,
      code: "TOOL_PERMISSION",
    });
  expect(await readStates()).toEqual(["AWAITING_APPROVAL", "DEFINED"]);
});

test("approve_task refuses agents before anybody is asked", async () => {
  const { work, approve, readStates } = await open();
  await work();
  let asked = 0;
  const approver: Approver = {
    identity: "owner:ada",
    ask: async () => ({ approved: ++asked > 0, by: "owner:ada" }),
  };
  for (const context of [
    { origin: { channel: "mcp" }, approver },
    { origin: { channel: "agent" }, approver },
    { origin: { channel: "cli" }, agentId: "painter", approver },
    { approver },
  ])
    expect(await approve(context)).toMatchObject({
      success: false,
      code: "TOOL_BLOCKED",
      error: expect.stringContaining("only a person does") as string,
    });
  expect(asked).toBe(0);
  expect(await readStates()).toEqual(["AWAITING_APPROVAL", "DEFINED"]);
});

test("approve_task approves a plan, and nothing that does not wait for it", async () => {
  const { id, tasks, approve } = await open();
  expect(await approve(person)).toMatchObject({
    success: false,
    code: "QUEUE_TASK_STATE",
    error: expect.stringContaining("is not awaiting approval (status: READY)") as string,
  });
  for (const event of ["ASSIGNED", "AGENT_STARTED", "AGENT_COMPLETED", "PLAN_FOUND"] as const)
    await tasks.apply(scope, id, event);
  expect((await approve(person)).success).toBe(true);
  expect((await tasks.require(scope, id)).state).toBe("COMPLETED");
});

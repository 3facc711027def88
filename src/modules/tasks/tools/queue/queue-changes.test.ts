import { expect, test } from "vitest";
import { openQueue, queueStart } from "../../../../../test/support/open-queue.ts";

test("edit_task changes fields, clears with null, and says which", async () => {
  const { create, ok, fails } = await openQueue();
  const id = await create("Old", { task_type: "docs", profile_id: "p" });
  expect(
    await ok("edit_task", { task_id: id, title: "New", priority: 1, task_type: null, profile_id: null }),
  ).toEqual({ updated: id, fields: ["title", "priority", "task_type", "profile_id"] });
  expect(await ok("get_task", { task_id: id })).toMatchObject({
    title: "New",
    priority: 1,
    task_type: null,
    profile_id: null,
  });
  await fails("edit_task", { task_id: id }, "QUEUE_NOTHING_TO_CHANGE", "No fields to update. Provide");
});

test("edit_task forces a state by the administrative events alone", async () => {
  const { create, ok, fails, readState } = await openQueue();
  const id = await create("Forced");
  for (const status of ["IN_PROGRESS", "FAILED", "DEFINED", "COMPLETED", "BLOCKED"])
    await fails("edit_task", { task_id: id, status }, "QUEUE_TASK_STATE", `from READY to ${status}`);
  await ok("claim_task", { task_id: id });
  await fails("edit_task", { task_id: id, status: "READY" }, "QUEUE_TASK_STATE", "stop_task");
  expect(await ok("edit_task", { task_id: id, status: "BLOCKED" })).toMatchObject({
    status_change: "IN_PROGRESS -> BLOCKED",
  });
  expect(await ok("edit_task", { task_id: id, status: "READY" })).toMatchObject({ fields: ["status"] });
  await ok("claim_task", { task_id: id });
  await fails("edit_task", { task_id: id, project_id: "bakery" }, "QUEUE_TASK_STATE", "Stop it first");
  await ok("stop_task", { task_id: id });
  expect(await ok("edit_task", { task_id: id, status: "COMPLETED" })).toMatchObject({
    status_change: "BLOCKED -> COMPLETED",
  });
  expect(await readState(id)).toBe("COMPLETED");
});

test("stop_task takes a task from whoever has it, and restart_task makes it ready with all retries", async () => {
  const { create, ok, fails, readState } = await openQueue();
  const id = await create("Long");
  await fails("stop_task", { task_id: id }, "QUEUE_TASK_STATE", "is not in progress (status: READY)");
  await fails("restart_task", { task_id: id }, "QUEUE_TASK_STATE", "READY already");
  const { lease } = await ok("claim_task", { task_id: id });
  await fails("restart_task", { task_id: id }, "QUEUE_TASK_STATE", "in progress. Stop it first");
  await fails("delete_task", { task_id: id }, "QUEUE_TASK_STATE", "Stop it first");
  expect(await ok("stop_task", { task_id: id })).toEqual({ stopped: id });
  expect(await readState(id)).toBe("BLOCKED");
  await fails("complete_task", { task_id: id, lease, summary: "late" }, "QUEUE_TASK_LOST", id);
  expect(await ok("restart_task", { task_id: id })).toEqual({
    restarted: id,
    title: "Long",
    previous_status: "BLOCKED",
  });
  expect(await ok("get_task_result", { task_id: id })).toMatchObject({ outcome: "stopped", attempts: 1 });
});

test("the history of a task says in words who changed its state", async () => {
  const { create, ok, store } = await openQueue();
  const id = await create("Long");
  const readWhys = async () =>
    (await store.tasks.happenings({ scope: "local", taskId: id, limit: 100 })).flatMap(
      ({ why }) => why ?? [],
    );
  const inConsole = { userId: "person:console", origin: { channel: "console" } };
  const byAda = { agentId: "ada", origin: { channel: "agent" } };
  await ok("claim_task", { task_id: id });
  await ok("stop_task", { task_id: id }, inConsole);
  await ok(
    "reopen_with_feedback",
    { task_id: id, feedback: "Mind the tests" },
    { origin: { channel: "cli" } },
  );
  await ok("claim_task", { task_id: id });
  await ok("edit_task", { task_id: id, status: "BLOCKED" }, { origin: { channel: "mcp" } });
  await ok("restart_task", { task_id: id }, byAda);
  await ok("claim_task", { task_id: id });
  await ok("stop_task", { task_id: id }, byAda);
  await ok("skip_task", { task_id: id }, inConsole);
  expect((await readWhys()).toReversed()).toEqual([
    "stopped in the console",
    "reopened with feedback at the command line",
    "its state was set by owner:ada",
    "restarted by the agent ada",
    "stopped by the agent ada",
    "skipped in the console",
  ]);
});

test("stop_task asks the run that works on a task to stop", async () => {
  const stopped: string[] = [];
  const { store, create, ok, readState } = await openQueue({
    stopRun: async (_scope, runId) => stopped.push(runId) > 0,
  });
  const id = await create("Run");
  await store.tasks.apply("local", id, "ASSIGNED", { agentId: "helper", runId: "run_1" });
  await store.tasks.apply("local", id, "AGENT_STARTED");
  await ok("stop_task", { task_id: id });
  expect(stopped).toEqual(["run_1"]);
  expect(await readState(id)).toBe("BLOCKED");
});

test("reopen_with_feedback keeps the feedback for whoever takes the task next", async () => {
  const { create, ok, fails, store } = await openQueue();
  const id = await create("Draft", { requires_approval: true });
  const { lease } = await ok("claim_task", { task_id: id });
  await fails("reopen_with_feedback", { task_id: id, feedback: "no" }, "QUEUE_TASK_STATE", "Stop it first");
  await ok("complete_task", { task_id: id, lease, summary: "Here it is" });
  expect(await ok("reopen_with_feedback", { task_id: id, feedback: "Shorter" })).toEqual({
    reopened: id,
    title: "Draft",
    previous_status: "AWAITING_APPROVAL",
    status: "READY",
    feedback_added: true,
    requires_approval: true,
  });
  expect(await ok("claim_task")).toMatchObject({
    claimed: id,
    task: { notes: [{ kind: "feedback", text: "Shorter" }], last_result: { summary: "Here it is" } },
  });
  expect((await store.tasks.require("local", id)).prUrl).toBeUndefined();
  await fails("reopen_with_feedback", { task_id: id, feedback: "" }, "TOOL_VALIDATION", "feedback");
});

test("delete_task asks by default, refuses while others depend on a task, and tells which", async () => {
  const { create, ok, fails, run } = await openQueue();
  const id = await create("Base");
  const other = await create("Top", { depends_on: [id] });
  await fails("delete_task", { task_id: id }, "QUEUE_DEPENDENCY", other);
  expect(await ok("delete_task", { task_id: id, force: true })).toEqual({ deleted: id, title: "Base" });
  expect(await run("get_task", { task_id: id })).toMatchObject({ code: "QUEUE_TASK_UNKNOWN" });
  expect(await ok("get_task_dependencies", { task_id: other })).toMatchObject({
    status: "READY",
    depends_on: [],
  });
  const careful = await openQueue({}, [{ decision: "allow", effect: "write", within: true }]);
  const kept = await careful.create("Kept");
  expect(await careful.run("delete_task", { task_id: kept })).toMatchObject({ code: "TOOL_PERMISSION" });
});

test("archive_task puts one task or a project's away, list_archived shows them, restore_task brings one back", async () => {
  const { create, ok, fails, block } = await openQueue();
  const id = await create("One");
  await fails("archive_task", { task_id: id }, "QUEUE_TASK_STATE", "Cannot archive task in READY status");
  const { lease } = await ok("claim_task", { task_id: id });
  await ok("complete_task", { task_id: id, lease, summary: "x" });
  expect(await ok("archive_task", { task_id: id })).toEqual({
    archived: id,
    title: "One",
    status: "COMPLETED",
  });
  expect(await ok("list_archived")).toMatchObject({
    tasks: [{ id, archived_at: new Date(queueStart).toISOString() }],
    count: 1,
    total: 1,
    project_id: "shop",
  });
  const stuck = await create("Stuck");
  await block(stuck);
  expect(await ok("archive_task", { project_id: "shop" })).toMatchObject({ archived_count: 0 });
  expect(await ok("archive_task", { project_id: "shop", include_failed: true })).toMatchObject({
    archived_count: 1,
    archived_ids: [stuck],
    project_id: "shop",
  });
  expect(await ok("restore_task", { task_id: stuck })).toMatchObject({ restored: stuck, title: "Stuck" });
  await fails("restore_task", { task_id: stuck }, "QUEUE_TASK_STATE", "not archived");
  await fails("archive_task", { task_id: id, project_id: "shop" }, "QUEUE_NOTHING_TO_CHANGE", "not both");
});

test("skip_task lets others go on, and the result says that it was skipped", async () => {
  const { create, ok, fails, block } = await openQueue();
  const id = await create("Blocked");
  const after = await create("After", { depends_on: [id] });
  await fails("skip_task", { task_id: id }, "QUEUE_TASK_STATE", "Only blocked/failed tasks can be skipped");
  await block(id);
  expect(await ok("get_chain_health")).toEqual({
    project_id: "shop",
    stuck_chains: [
      {
        blocked_task: { id, title: "Blocked", status: "BLOCKED" },
        stuck_downstream: [{ id: after, title: "After", status: "DEFINED" }],
        stuck_count: 1,
      },
    ],
    total_stuck_chains: 1,
  });
  expect(await ok("get_chain_health", { task_id: id })).toMatchObject({
    task_id: id,
    status: "BLOCKED",
    stuck_count: 1,
  });
  expect(await ok("skip_task", { task_id: id })).toEqual({
    skipped: id,
    unblocked_count: 1,
    unblocked: [{ id: after, title: "After", status: "READY" }],
  });
  expect(await ok("get_task_result", { task_id: id })).toMatchObject({ outcome: "skipped", attempts: 2 });
  expect(await ok("get_chain_health")).toMatchObject({ total_stuck_chains: 0 });
});

test("dependencies are added and removed, and a cycle is named", async () => {
  const { create, ok, fails } = await openQueue();
  const a = await create("A");
  const b = await create("B");
  expect(await ok("add_dependency", { task_id: b, depends_on: a })).toEqual({
    ok: true,
    task_id: b,
    depends_on: a,
    task_title: "B",
    depends_on_title: "A",
    status: "DEFINED",
  });
  await fails("add_dependency", { task_id: a, depends_on: a }, "QUEUE_DEPENDENCY", "itself");
  await fails("add_dependency", { task_id: b, depends_on: a }, "QUEUE_DEPENDENCY", "already depends on");
  await fails("add_dependency", { task_id: a, depends_on: b }, "QUEUE_DEPENDENCY", `${a} -> ${b} -> ${a}`);
  expect(await ok("get_task_dependencies", { task_id: a })).toEqual({
    task_id: a,
    title: "A",
    status: "READY",
    depends_on: [],
    blocks: [{ id: b, title: "B", status: "DEFINED" }],
  });
  expect(await ok("remove_dependency", { task_id: b, depends_on: a })).toEqual({
    ok: true,
    task_id: b,
    removed_dependency: a,
    task_title: "B",
    status: "READY",
  });
  await fails("remove_dependency", { task_id: b, depends_on: a }, "QUEUE_DEPENDENCY", "No dependency found");
});

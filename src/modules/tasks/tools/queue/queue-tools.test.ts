import { expect, test } from "vitest";
import { openQueue, queueStart } from "../../../../../test/support/open-queue.ts";
import { createTestExecutor } from "../../../../../test/support/test-executor.ts";
import { queueTools } from "./index.ts";

test("create_task answers with what was given, and is READY without dependencies and DEFINED with one", async () => {
  const { ok, create, readState } = await openQueue();
  const first = await ok("create_task", {
    title: "Paint the door",
    requires_approval: true,
    task_type: "chore",
    profile_id: "painter",
    preferred_workspace_id: "w_1",
  });
  expect(first).toEqual({
    created: expect.stringMatching(/^[a-z]+-[a-z]+(-\d+)?$/),
    title: "Paint the door",
    project_id: "shop",
    status: "READY",
    requires_approval: true,
    task_type: "chore",
    profile_id: "painter",
    preferred_workspace_id: "w_1",
  });
  const second = await create("Hang the door", { depends_on: [first.created] });
  expect(await readState(second)).toBe("DEFINED");
});

test("create_task with an idempotency key makes one task, whoever calls again", async () => {
  const { create, ok } = await openQueue();
  const one = await create("Once", { idempotency_key: "k" });
  expect(await create("Once", { idempotency_key: "k" })).toBe(one);
  expect(await ok("list_tasks")).toMatchObject({ total: 1 });
});

test("a task whose text names another project is in the chosen one, and a warning says so", async () => {
  const { create, ok } = await openQueue();
  await create("Elsewhere", { project_id: "bakery" });
  expect(await ok("create_task", { title: "Fix the oven of the bakery" })).toMatchObject({
    project_id: "shop",
    warning: expect.stringContaining('another project, "bakery"'),
  });
  expect(await ok("create_task", { title: "Sweep" })).not.toHaveProperty("warning");
});

test("without a project there is none to fall back to", async () => {
  const { fails } = await openQueue({ project: "" });
  await fails("create_task", { title: "Lost" }, "QUEUE_PROJECT_REQUIRED", "no active project set");
  await fails("list_archived", {}, "QUEUE_PROJECT_REQUIRED", "project_id is required");
  await fails("archive_task", {}, "QUEUE_PROJECT_REQUIRED", "task_id or project_id is required");
});

test("list_tasks hides completed tasks unless asked for, and counts them", async () => {
  const { create, ok } = await openQueue();
  const done = await create("Done");
  const { lease } = await ok("claim_task", { task_id: done });
  await ok("complete_task", { task_id: done, lease, summary: "It is done" });
  const left = await create("Left", { priority: 5 });
  const ids = async (params: object) =>
    ((await ok("list_tasks", params))["tasks"] as { id: string }[]).map(({ id }) => id);
  expect(await ok("list_tasks")).toMatchObject({
    display_mode: "flat",
    tasks: [{ id: left, title: "Left", status: "READY", priority: 5, assigned_agent: null }],
    total: 1,
    hidden_completed: 1,
    filtered: true,
  });
  for (const params of [{ show_all: true }, { include_completed: true }])
    expect(await ids(params)).toEqual([left, done]);
  expect(await ids({ completed_only: true })).toEqual([done]);
  expect(await ids({ status: "READY" })).toEqual([left]);
  const { executor } = createTestExecutor(queueTools({ tasks: (await openQueue()).store.tasks }));
  expect(await executor.run("list_tasks", { status: "DONE" })).toMatchObject({ code: "TOOL_VALIDATION" });
});

test("list_tasks goes on where a page ended", async () => {
  const { create, ok } = await openQueue();
  for (const title of ["a", "b", "c"]) await create(title);
  const first = await ok("list_tasks", { limit: 2 });
  expect(first).toMatchObject({ total: 3, tasks: [{ title: "a" }, { title: "b" }] });
  const rest = await ok("list_tasks", { limit: 2, cursor: first["next_cursor"] });
  expect(rest).toMatchObject({ tasks: [{ title: "c" }] });
  expect(rest).not.toHaveProperty("next_cursor");
});

test("list_tasks shows trees and dependencies as text", async () => {
  const { create, ok } = await openQueue();
  const root = await create("House");
  const walls = await create("Walls", { parent_task_id: root });
  const roof = await create("Roof", { parent_task_id: root, depends_on: [walls] });
  expect(await ok("list_tasks", { display_mode: "tree", show_dependencies: true })).toMatchObject({
    display_mode: "tree",
    formatted: [
      `${root} [READY] House`,
      `├─ ${walls} [READY] Walls`,
      `└─ ${roof} [DEFINED] Roof ← needs ${walls}`,
    ].join("\n"),
    dependency_display: `${roof} ← needs ${walls}`,
  });
  expect(await ok("list_tasks", { display_mode: "compact" })).toMatchObject({
    formatted: `${root} [READY] House [----------] 0/2`,
  });
  expect(await ok("get_task_tree", { task_id: root, show_dependencies: true })).toEqual({
    root: { id: root, title: "House", status: "READY" },
    formatted: expect.stringContaining(`← needs ${walls}`),
    subtask_completed: 0,
    subtask_total: 2,
    subtask_by_status: { READY: 1, DEFINED: 1 },
    progress_bar: "[----------] 0/2",
  });
});

test("a tree without a project is shown flat, and the result says so", async () => {
  const { ok } = await openQueue({ project: "" });
  expect(await ok("list_tasks", { display_mode: "tree" })).toMatchObject({
    display_mode: "flat",
    note: expect.stringContaining("give project_id"),
  });
});

test("list_active_tasks_all_projects lists every project and counts those with something to do", async () => {
  const { create, ok } = await openQueue();
  const one = await create("One");
  const other = await create("Other", { project_id: "bakery" });
  const done = await create("Done", { project_id: "mill" });
  const { lease } = await ok("claim_task", { task_id: done });
  await ok("complete_task", { task_id: done, lease, summary: "ground" });
  expect(await ok("list_active_tasks_all_projects")).toMatchObject({
    by_project: { shop: [one], bakery: [other] },
    total: 2,
    project_count: 2,
    hidden_completed: 1,
  });
  expect(await ok("list_active_tasks_all_projects", { include_completed: true })).toMatchObject({
    by_project: { mill: [done] },
    total: 3,
    project_count: 3,
    hidden_completed: 0,
  });
});

test("get_task has description, feedback, subtasks, both ends of its edges and its last result", async () => {
  const { create, ok, clock } = await openQueue();
  const first = await create("First");
  const { lease } = await ok("claim_task", { task_id: first });
  await ok("complete_task", {
    task_id: first,
    lease,
    summary: "The wall stands",
    files_changed: ["wall.txt"],
  });
  const task = await create("Second", { description: "Paint it", depends_on: [first] });
  const part = await create("Part", { parent_task_id: task });
  const after = await create("Third", { depends_on: [task] });
  await ok("reopen_with_feedback", { task_id: task, feedback: "Use blue" });
  expect(await ok("get_task", { task_id: task })).toMatchObject({
    id: task,
    project_id: "shop",
    description: "Paint it",
    status: "READY",
    retry_count: 0,
    max_retries: 3,
    is_plan_subtask: false,
    depends_on: [{ id: first, title: "First", status: "COMPLETED" }],
    blocks: [{ id: after }],
    subtasks: [{ id: part }],
    notes: [{ kind: "feedback", text: "Use blue", at: new Date(clock.now()).toISOString() }],
    upstream_results: [{ id: first, outcome: "completed", summary: "The wall stands" }],
  });
  expect(await ok("get_task", { task_id: first })).toMatchObject({
    last_result: { attempt: 1, outcome: "completed", files_changed: ["wall.txt"] },
  });
});

test("an unknown task is an error that names the nearest", async () => {
  const { create, run } = await openQueue();
  const id = await create("Here");
  expect(await run("get_task", { task_id: `${id}s` })).toMatchObject({
    code: "QUEUE_TASK_UNKNOWN",
    error: expect.stringContaining(id),
  });
});

test("a task of another scope is unknown", async () => {
  const { create, run, ok } = await openQueue();
  const id = await create("Mine");
  expect(await run("get_task", { task_id: id }, { scope: "other" })).toMatchObject({
    code: "QUEUE_TASK_UNKNOWN",
  });
  expect(await ok("list_active_tasks_all_projects", {}, { scope: "other" })).toMatchObject({ total: 0 });
});

test("get_recent_events has who did what, and goes on after an event", async () => {
  const { create, ok } = await openQueue();
  const id = await create("Seen");
  await create("Elsewhere", { project_id: "bakery" });
  await ok("claim_task", { task_id: id }, { agentId: "painter" });
  const { events } = (await ok("get_recent_events")) as unknown as { events: Record<string, unknown>[] };
  expect(events.map(({ type }) => type)).toEqual(["AGENT_STARTED", "ASSIGNED", "CREATED"]);
  expect(events[2]).toMatchObject({ task_id: id, to: "READY", by: "owner:ada" });
  expect(events[1]).toMatchObject({ task_id: id, from: "READY", to: "ASSIGNED", by: "painter" });
  const since = events[2]?.["seq"];
  expect(await ok("get_recent_events", { since, limit: 1 })).toMatchObject({
    events: [{ type: "ASSIGNED" }],
  });
});

test("get_task_result has every attempt, and says where there is none", async () => {
  const { create, ok, fails } = await openQueue();
  const id = await create("Twice");
  await fails("get_task_result", { task_id: id }, "QUEUE_TASK_STATE", "No results found");
  const first = await ok("claim_task", { task_id: id });
  expect(
    await ok("complete_task", {
      task_id: id,
      lease: first.lease,
      outcome: "failed",
      summary: "It broke",
      error: "exit 1",
    }),
  ).toMatchObject({ ended: id, outcome: "failed", status: "READY", retries: "1 / 3" });
  const second = await ok("claim_task", { task_id: id });
  await ok("complete_task", { task_id: id, lease: second.lease, summary: "It holds" });
  expect(await ok("get_task_result", { task_id: id })).toMatchObject({
    status: "COMPLETED",
    summary: "It holds",
    attempts: 2,
    earlier_attempts: [{ outcome: "failed", error: "exit 1" }],
  });
});

test("claim_task takes the most urgent of the active project, and says when there is none", async () => {
  const { create, ok } = await openQueue();
  await create("Elsewhere", { project_id: "bakery", priority: 0 });
  await create("Later");
  const urgent = await create("Now", { priority: 1, description: "At once" });
  expect(await ok("claim_task", {}, { agentId: "painter" })).toMatchObject({
    claimed: urgent,
    lease_until: new Date(queueStart + 1_800_000).toISOString(),
    task: { description: "At once", status: "IN_PROGRESS", assigned_agent: "painter" },
  });
  await ok("claim_task");
  expect(await ok("claim_task")).toMatchObject({
    claimed: null,
    project_id: "shop",
    message: expect.stringContaining("No task is ready"),
  });
  expect(await ok("claim_task", { project_id: "bakery" })).toMatchObject({ task: { title: "Elsewhere" } });
});

test("a lease is renewed, and a task whose lease ran out goes to the next", async () => {
  const { create, ok, fails, clock } = await openQueue();
  const id = await create("Slow");
  const { lease } = await ok("claim_task", { task_id: id, lease_seconds: 30 });
  await clock.advance(20_000);
  expect(await ok("claim_task", { task_id: id, lease, lease_seconds: 30 })).toEqual({
    renewed: id,
    lease,
    lease_until: new Date(queueStart + 50_000).toISOString(),
  });
  await clock.advance(29_000);
  await fails("claim_task", { task_id: id }, "QUEUE_TASK_STATE", "IN_PROGRESS");
  await clock.advance(2_000);
  const next = await ok("claim_task");
  expect(next.claimed).toBe(id);
  await fails("claim_task", { task_id: id, lease }, "QUEUE_TASK_LOST", "lease");
  await fails("complete_task", { task_id: id, lease, summary: "late" }, "QUEUE_TASK_LOST", "lease");
  await fails("claim_task", { lease }, "QUEUE_TASK_UNKNOWN", "give task_id");
  expect(await ok("complete_task", { task_id: id, lease: next.lease, summary: "done" })).toMatchObject({
    status: "COMPLETED",
  });
});

test("a task that is completed frees those that wait for it", async () => {
  const { create, ok } = await openQueue();
  const id = await create("First");
  const after = await create("Then", { depends_on: [id] });
  const { lease } = await ok("claim_task");
  expect(await ok("complete_task", { task_id: id, lease, summary: "done" })).toMatchObject({
    unblocked: [{ id: after, status: "READY" }],
  });
});

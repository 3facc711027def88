import { expect, onTestFinished, test } from "vitest";
import type { RunChange } from "../../modules/sessions/index.ts";
import type { NewTask, Task } from "../../modules/tasks/index.ts";
import type { CallUsage } from "../../modules/usage/index.ts";
import { createFakeClock } from "../../testing/index.ts";
import { openStore } from "../store/index.ts";
import { readTaskViews } from "./task-views.ts";

const scope = "local";

async function open() {
  const clock = createFakeClock(1_000_000);
  const store = await openStore({ path: ":memory:", clock });
  onTestFinished(() => store[Symbol.asyncDispose]());
  const { tasks, runs, sessions, usage } = store;
  const create = (title: string, more: Partial<NewTask> = {}) =>
    tasks.create({ scope, projectId: "app", title, ...more });
  const view = async ({ id }: Pick<Task, "id">) => {
    const [only] = await readTaskViews(store, [await tasks.require(scope, id)], { scope, now: clock.now() });
    return only;
  };
  const begin = async (parentId?: string) => {
    const session = await sessions.open({ scope, agentId: "main", channel: "task" });
    const run = await runs.begin({
      scope,
      kind: "task",
      sessionId: session.id,
      ...(parentId !== undefined && { parentId }),
    });
    return { run, session };
  };
  /** Gives a task to a run of its own. */
  const give = async ({ id }: Task, parentId?: string) => {
    const { run, session } = await begin(parentId);
    await tasks.apply(scope, id, "ASSIGNED", { agentId: "main", runId: run.id, sessionId: session.id });
    await tasks.apply(scope, id, "AGENT_STARTED");
    return run;
  };
  const change = async (runId: string, run: RunChange) => {
    const claimed = await runs.claim(scope, runId, 60_000);
    if (claimed === undefined) throw new Error("nobody else has it");
    await runs.write(claimed, { run });
  };
  const spend = async (run: { readonly id: string; readonly rootId: string }, costMicros?: number) => {
    const spent: CallUsage = {
      inputTokens: 100,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      outputTokens: 10,
      reasoningTokens: 0,
      costMicros,
      priced: costMicros === undefined ? "no" : "table",
    };
    const call = {
      scope,
      model: "tiny",
      purpose: "step",
      run: { ...run, step: 1 },
      reserved: spent,
    } as const;
    await usage.end(scope, await usage.begin(call), { usage: spent });
  };
  return { clock, store, create, view, begin, give, change, spend };
}

test("readTaskViews() names the tasks that have to be completed before, and no others", async () => {
  const { create, view, store } = await open();
  const [first, second] = [await create("First"), await create("Second")];
  const third = await create("Third", { dependsOn: [first.id, second.id] });
  expect((await view(third))?.waits).toEqual(
    expect.arrayContaining([
      { for: "task", id: first.id, state: "READY" },
      { for: "task", id: second.id, state: "READY" },
    ]),
  );
  for (const event of ["ASSIGNED", "AGENT_STARTED", "AGENT_COMPLETED", "VERIFY_PASSED"] as const)
    await store.tasks.apply(scope, first.id, event);
  expect(await view(third)).toMatchObject({
    waits: [{ for: "task", id: second.id }],
    dependsOn: [first.id, second.id].sort(),
  });
  expect(await view(second)).toMatchObject({ waits: [{ for: "worker" }], blocks: [third.id] });
});

test("readTaskViews() says what the run of a task waits for", async () => {
  const { create, view, give, change, begin, clock } = await open();
  const task = await create("Ask");
  const run = await give(task);
  expect(await view(task)).toMatchObject({ waits: [{ for: "worker" }], isLeft: false });
  const other = await create("Part", { parentId: task.id });
  const child = await give(other, run.id);
  const stranger = await begin();
  await change(run.id, {
    state: "parked",
    why: "task",
    waitFor: `run:${child.id} run:${stranger.run.id} time:${clock.now() + 5}`,
  });
  expect((await view(task))?.waits).toEqual([
    { for: "task", id: other.id, state: "IN_PROGRESS" },
    { for: "run", id: stranger.run.id },
    { for: "time", at: clock.now() + 5 },
  ]);
  await change(run.id, { state: "parked", why: "approval", waitFor: "approval:a_1" });
  expect((await view(task))?.waits).toEqual([{ for: "question", id: "a_1" }]);
});

test("readTaskViews() says that a task is left once the lease of who has it, or of its run, has ended", async () => {
  const { create, view, give, store, clock } = await open();
  const byHand = await create("By hand");
  await store.tasks.claim({ scope, id: byHand.id, agentId: "painter", leaseMs: 60_000 });
  const byRun = await create("By a run");
  const run = await give(byRun);
  await store.runs.claim(scope, run.id, 60_000);
  expect(await view(byHand)).toMatchObject({ isLeft: false, waits: [] });
  expect(await view(byRun)).toMatchObject({ isLeft: false, waits: [] });
  const later = clock.now() + 60_000;
  const tasks = [byHand, byRun].map(({ id }) => store.tasks.require(scope, id));
  const left = await readTaskViews(store, await Promise.all(tasks), { scope, now: later });
  expect(left).toMatchObject([
    { isLeft: true, waits: [{ for: "worker" }] },
    { isLeft: true, waits: [{ for: "worker" }] },
  ]);
});

test("readTaskViews() leaves to a person what only a person can do, and says why a task stands still", async () => {
  const { create, view, store } = await open();
  const end = async (more: Partial<NewTask>, outcome: "completed" | "failed") => {
    const task = await create("Do it", more);
    const claimed = await store.tasks.claim({ scope, id: task.id, agentId: "painter", leaseMs: 60_000 });
    const result = { outcome, ...(outcome === "failed" && { error: "no paint" }) };
    await store.tasks.end({ scope, id: task.id, lease: claimed?.lease ?? "", result });
    return task;
  };
  const approved = await end({ requiresApproval: true }, "completed");
  expect((await view(approved))?.waits).toEqual([{ for: "person", to: "approve" }]);
  const failed = await end({ maxRetries: 0 }, "failed");
  expect(await view(failed)).toMatchObject({ waits: [{ for: "person", to: "decide" }], why: "no paint" });
  await store.tasks.apply(scope, failed.id, "ADMIN_SKIP");
  expect(await view(failed)).toMatchObject({ waits: [], isSkipped: true, why: undefined });
  expect(await view(await end({}, "completed"))).toMatchObject({ waits: [], isSkipped: false });
});

test("readTaskViews() adds up what a task cost: all its attempts, its subtasks and what these began, nothing else", async () => {
  const { create, view, give, begin, spend, change, store } = await open();
  const task = await create("Whole");
  expect((await view(task))?.cost).toBeUndefined();
  // A conversation began it, whose own cost is not the task's.
  const chat = await begin();
  await spend(chat.run, 1_000_000);
  const first = await give(task, chat.run.id);
  await spend(first, 1);
  await change(first.id, { state: "failed", why: "no" });
  await store.tasks.apply(scope, task.id, "RETRY", { runId: null, sessionId: null });
  const second = await give(task, chat.run.id);
  await spend(second, 20);
  const inner = await begin(second.id);
  await spend(inner.run, 300);
  const part = await create("Part", { parentId: task.id });
  await spend(await give(part), 4_000);
  expect((await view(task))?.cost).toMatchObject({ costMicros: 4_321, tokens: 440, unpricedModels: [] });
  expect((await view(part))?.cost).toMatchObject({ costMicros: 4_000, tokens: 110 });
  await spend(inner.run);
  expect((await view(task))?.cost).toMatchObject({ costMicros: 4_321, unpricedModels: ["tiny"] });
});

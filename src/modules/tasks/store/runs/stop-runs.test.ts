import { expect, onTestFinished, test } from "vitest";
import { openStore, type Store } from "../../../../app/store/index.ts";
import type { Approval, CallKey } from "../../../../kernel/index.ts";
import { createFakeClock } from "../../../../testing/index.ts";
import type { Run } from "../../../sessions/index.ts";
import { defaultTaskLimits } from "./limits.ts";
import type { TaskRun } from "./task-runs.ts";

const scope = "local";
const now = Date.UTC(2026, 0, 1);

async function open() {
  const clock = createFakeClock(now);
  const store = await openStore({ path: ":memory:", clock });
  onTestFinished(() => store.close());
  return Object.assign(store, { clock });
}

/** A task that an agent works on. */
async function begin({ sessions, runs, taskRuns }: Store, title: string, parent?: Run): Promise<TaskRun> {
  const starter = parent ?? (await beginTurn({ sessions, runs }));
  return taskRuns.start({
    scope,
    projectId: "app",
    parentRunId: starter.id,
    agentId: "main",
    description: title,
    input: title,
    settings: {},
    trust: "trusted",
    limits: { ...defaultTaskLimits, maxDepth: 5 },
  });
}

async function beginTurn({ sessions, runs }: Pick<Store, "sessions" | "runs">): Promise<Run> {
  const { id: sessionId } = await sessions.open({ scope, agentId: "main", channel: "test" });
  return runs.begin({ scope, kind: "turn", sessionId });
}

const callKey = (command: string): CallKey => ({
  scope,
  agentId: "main",
  userId: undefined,
  caller: undefined,
  toolName: "bash",
  toolVersion: "1",
  params: { command },
  effects: [],
  allowedPaths: [],
});

/** Has a run ask a person about a call, and parks it until the answer. Returns the id of the question. */
async function ask({ approvals, runs }: Store, { id }: Run, command = id): Promise<string> {
  const asked: Approval = {
    id: `a_${id}`,
    callId: `${id}.1.1`,
    toolName: "bash",
    toolTitle: "Run a command",
    toolVersion: "1",
    params: { command },
    effects: [],
    folder: undefined,
    reason: "no rule allows it",
    offers: [],
    scope,
    agentId: "main",
    userId: undefined,
    origin: { channel: "agent" },
    project: undefined,
    approvers: ["owner:*"],
    createdAt: now,
    waitsUntil: undefined,
    expiresAt: now + 86_400_000,
  };
  const question = await approvals.open(asked, callKey(command));
  const claimed = await runs.claim(scope, id, 60_000);
  if (claimed === undefined) throw new Error(`the run ${id} can't be had`);
  await runs.write(claimed, {
    run: { state: "parked", why: "approval", waitFor: `approval:${question.id}` },
  });
  return question.id;
}

const readState = async ({ approvals }: Store, id: string) => (await approvals.get(id))?.state;

test("a question is taken back with the task that asked it, and those of the tasks below it", async () => {
  const store = await open();
  const top = await begin(store, "Top");
  const below = await begin(store, "Below", top.run);
  const other = await begin(store, "Other");
  const questions = [await ask(store, below.run), await ask(store, top.run), await ask(store, other.run)];
  const stopped = await store.taskRuns.stop({ scope, runId: top.run.id, why: "stopped by a person" });
  expect([...stopped]).toEqual([below.run.id, top.run.id]);
  expect(await Promise.all(questions.map((id) => readState(store, id)))).toEqual([
    "expired",
    "expired",
    "pending",
  ]);
  expect((await store.approvals.list({ state: "pending" })).map(({ id }) => id)).toEqual([questions[2]]);
  for (const { task } of [top, below])
    expect((await store.tasks.require(scope, task.id)).state).toBe("BLOCKED");
  await expect(
    store.approvals.answer(questions[0] ?? "", { approved: true, by: "owner:ada" }),
  ).rejects.toThrow(
    expect.objectContaining({
      code: "APPROVAL_EXPIRED",
      message: expect.stringContaining(
        "it was taken back at 2026-01-01T00:00:00.000Z, as the work that it was for has ended",
      ),
    }),
  );
});

test("whoever waits for the answer to a question that is taken back is told", async () => {
  const store = await open();
  const { run } = await begin(store, "Top");
  const id = await ask(store, run);
  const waiting = store.approvals.answered(id, new AbortController().signal);
  const told = expect(waiting).rejects.toMatchObject({ code: "APPROVAL_EXPIRED" });
  await store.runs.stop(scope, run.id, "stopped by a person");
  await store.clock.advance(200);
  await told;
});

test("a question that another task waits for stays until that is stopped, too", async () => {
  const store = await open();
  const one = await begin(store, "One");
  const two = await begin(store, "Two");
  const id = await ask(store, one.run, "npm publish");
  expect(await ask(store, two.run, "npm publish")).toBe(id);
  await store.taskRuns.stop({ scope, runId: one.run.id, why: "stopped" });
  expect(await readState(store, id)).toBe("pending");
  await store.taskRuns.stop({ scope, runId: two.run.id, why: "stopped" });
  expect(await readState(store, id)).toBe("expired");
});

test("a yes that no call has used is void once its task is stopped, and says so", async () => {
  const store = await open();
  const one = await begin(store, "One");
  const two = await begin(store, "Two");
  const id = await ask(store, one.run, "npm publish");
  await ask(store, two.run, "npm publish");
  await store.approvals.answer(id, { approved: true, by: "owner:ada" });
  await store.taskRuns.stop({ scope, runId: one.run.id, why: "stopped" });
  expect(await store.approvals.find(callKey("npm publish"), ["owner:*"])).toMatchObject({ id });
  await store.taskRuns.stop({ scope, runId: two.run.id, why: "stopped" });
  expect(await store.approvals.find(callKey("npm publish"), ["owner:*"])).toBeUndefined();
  expect(await store.approvals.claim(id, `${two.run.id}.1.1`)).toBe(false);
  expect(await store.approvals.get(id)).toMatchObject({
    state: "expired",
    withdrawn: "the work that it was for has ended",
    answer: { approved: true, by: "owner:ada" },
  });
});

test.each(["restarted", "deleted"])(
  "a task that is %s takes its agent's run and question with it",
  async (what) => {
    const store = await open();
    const { task, run } = await begin(store, "Top");
    const below = await begin(store, "Below", run);
    const questions = [await ask(store, run), await ask(store, below.run)];
    if (what === "restarted") await store.tasks.apply(scope, task.id, "ADMIN_RESTART");
    else await store.tasks.delete(scope, task.id);
    for (const id of questions) expect(await readState(store, id)).toBe("expired");
    expect((await store.runs.get(scope, run.id))?.state).toBe("stopped");
    expect((await store.runs.get(scope, below.run.id))?.state).toBe("stopped");
  },
);

test.each(["skipped", "archived"])(
  "a task that is %s takes back what its ended agent had asked",
  async (what) => {
    const store = await open();
    const { task, run } = await begin(store, "Top");
    const id = await ask(store, run);
    const claimed = await store.runs.claim(scope, run.id, 60_000);
    if (claimed === undefined) throw new Error("it can't be had");
    await store.runs.write(claimed, { run: { state: "failed", why: "it broke" } });
    expect((await store.tasks.require(scope, task.id)).state).toBe("FAILED");
    expect(await readState(store, id)).toBe("pending");
    if (what === "skipped") await store.tasks.apply(scope, task.id, "ADMIN_SKIP");
    else await store.tasks.archive(scope, task.id);
    expect(await readState(store, id)).toBe("expired");
  },
);

test("a task in progress that is stopped by force ends its agent's run, once", async () => {
  const store = await open();
  const { task, run } = await begin(store, "Top");
  await store.runs.claim(scope, run.id, 60_000);
  const stopped = await store.tasks.apply(scope, task.id, "ADMIN_STOP", {
    why: "forced by edit_task",
    result: { outcome: "stopped" },
  });
  expect(stopped.state).toBe("BLOCKED");
  expect((await store.runs.get(scope, run.id))?.state).toBe("stopped");
  expect((await store.tasks.results(scope, task.id)).map(({ outcome }) => outcome)).toEqual(["stopped"]);
});

test("a change that can't happen ends no run", async () => {
  const store = await open();
  const { task, run } = await begin(store, "Top");
  await store.runs.claim(scope, run.id, 60_000);
  await expect(store.tasks.apply(scope, task.id, "ADMIN_SKIP")).rejects.toThrow("blocked/failed");
  await expect(store.tasks.delete(scope, task.id)).rejects.toThrow("in progress");
  expect((await store.runs.get(scope, run.id))?.state).toBe("running");
});

test("a task of an agent that a person verifies waits for that person when the agent is done", async () => {
  const store = await open();
  const { task, run } = await begin(store, "Draw");
  await store.tasks.edit(scope, task.id, { verification: "human" });
  const after = await store.tasks.create({ scope, projectId: "app", title: "Tell", dependsOn: [task.id] });
  const claimed = await store.runs.claim(scope, run.id, 60_000);
  if (claimed === undefined) throw new Error("it can't be had");
  await store.runs.write(claimed, { run: { state: "completed", result: "drawn" } });
  expect((await store.tasks.require(scope, task.id)).state).toBe("AWAITING_APPROVAL");
  expect((await store.tasks.require(scope, after.id)).state).toBe("DEFINED");
  expect((await store.tasks.results(scope, task.id)).map(({ summary }) => summary)).toEqual(["drawn"]);
});

test("the result of a task names the files that its calls changed, those of inner calls too, once each", async () => {
  const store = await open();
  const { task, run } = await begin(store, "Write");
  const change = (callId: string, path: string, outerCallId?: string) =>
    store.changes.record({
      scope,
      callId,
      path,
      before: null,
      afterHash: "h",
      ...(outerCallId !== undefined && { outerCallId }),
    });
  await change(`${run.id}.1.1`, "/elsewhere/a.txt");
  await change("c_inner", "/elsewhere/b.txt", `${run.id}.1.2`);
  await change(`${run.id}.2.1`, "/elsewhere/a.txt");
  const made = { scope, callId: `${run.id}.2.1`, path: "/elsewhere/folder", before: null, afterHash: null };
  await store.changes.record(made);
  await change(`${run.id}.2.2`, "/elsewhere/undone.txt");
  await change(`${run.id}9.1.1`, "/elsewhere/of-another-run.txt");
  await store.changes.markUndone(scope, `${run.id}.2.2`);
  const claimed = await store.runs.claim(scope, run.id, 60_000);
  if (claimed === undefined) throw new Error("it can't be had");
  await store.runs.write(claimed, { run: { state: "completed", result: "written" } });
  const [result] = await store.tasks.results(scope, task.id);
  expect(result?.filesChanged).toEqual(["/elsewhere/a.txt", "/elsewhere/b.txt"]);
});

test("the result of a task names at most 1,000 files", async () => {
  const store = await open();
  const { task, run } = await begin(store, "Write");
  for (let at = 0; at < 1_100; at++)
    await store.changes.record({
      scope,
      callId: `${run.id}.1.1`,
      path: `/w/${at}`,
      before: null,
      afterHash: "h",
    });
  await store.runs.stop(scope, run.id, "stopped by a person");
  const [result] = await store.tasks.results(scope, task.id);
  expect([result?.outcome, result?.filesChanged.length, result?.filesChanged[0]]).toEqual([
    "stopped",
    1_000,
    "/w/0",
  ]);
});

import { expect, test } from "vitest";
import { ConsoleViews } from "../../../../test/support/console-views.ts";
import { OwnerPin } from "../../../app/index.ts";
import type { NewTask, Task } from "../../../modules/tasks/index.ts";
import type { TaskAct } from "../api/index.ts";

const scope = "local";

async function open(config = "") {
  const views = await ConsoleViews.open(config, { sources: "none" });
  const { tasks } = await views.app.store();
  const create = (title: string, more: Partial<NewTask> = {}) =>
    tasks.create({ scope, projectId: "app", title, ...more });
  const show = (id: string) => views.ask("GET /tasks/:id", { segments: { id } });
  const act = async (task: Pick<Task, "id">, what: TaskAct, more: object = {}) => {
    const { version } = await tasks.require(scope, task.id);
    return views.ask("POST /tasks/:id/act", {
      segments: { id: task.id },
      body: { act: what, version, ...more },
    });
  };
  const work = async ({ id }: Task) => {
    const claimed = await tasks.claim({ scope, id, agentId: "mcp:ada", leaseMs: 60_000 });
    if (claimed === undefined) throw new Error("it is ready");
    const end = (outcome: "completed" | "failed") =>
      tasks.end({ scope, id, lease: claimed.lease, result: { outcome, summary: "so it went" } });
    return { end };
  };
  return { views, tasks, create, show, act, work };
}

test("the board has each task in the column of its state, with whom it waits for", async () => {
  const { views, tasks, create, work } = await open();
  const first = await create("First");
  const second = await create("Second", { dependsOn: [first.id] });
  await work(first);
  await create("Elsewhere", { projectId: "shop" });
  const read = async (query: Record<string, string> = {}) => {
    const { columns, projects } = await views.ask("GET /tasks", { query });
    return {
      projects,
      columns: Object.fromEntries(columns.map((one) => [one.kind, one.tasks.map(({ title }) => title)])),
    };
  };
  expect(await read()).toEqual({
    projects: ["app", "shop"],
    columns: { person: [], working: ["First"], ready: ["Elsewhere"], waiting: ["Second"], done: [] },
  });
  expect(await read({ project: "shop", column: "ready" })).toMatchObject({
    columns: { ready: ["Elsewhere"] },
  });
  const { columns } = await views.ask("GET /tasks", { query: { column: "waiting" } });
  expect(columns).toMatchObject([
    { total: 1, tasks: [{ id: second.id, waits: [{ for: "task", id: first.id, state: "IN_PROGRESS" }] }] },
  ]);
  await tasks.apply(scope, first.id, "ADMIN_STOP");
  await tasks.archive(scope, first.id);
  expect(await read({ column: "archive" })).toMatchObject({ columns: { archive: ["First"] } });
  for (const query of [{ column: "some" }, { after: "yesterday" }, { limit: "0" }])
    await expect(views.ask("GET /tasks", { query })).rejects.toMatchObject({ code: "CONSOLE_INPUT" });
});

test("of what is done, the board shows what was done last, though others are more urgent", async () => {
  const { views, create, work } = await open();
  const made = [
    await create("urgent", { priority: 1 }),
    await create("usual"),
    await create("late", { priority: 900 }),
  ];
  for (const task of made) await (await work(task)).end("completed");
  const { columns } = await views.ask("GET /tasks", { query: { limit: "2" } });
  const done = columns.find(({ kind }) => kind === "done");
  expect(done).toMatchObject({ total: 3, tasks: [{ title: "late" }, { title: "usual" }] });
  const { columns: alone } = await views.ask("GET /tasks", { query: { column: "done", limit: "2" } });
  expect(alone[0]?.tasks.map(({ title }) => title)).toEqual(["urgent", "usual"]);
  const rest = await views.ask("GET /tasks", {
    query: { column: "done", limit: "2", after: alone[0]?.next ?? "" },
  });
  expect(rest.columns[0]?.tasks.map(({ title }) => title)).toEqual(["late"]);
});

test("a task has its notes, results, history, subtasks and what hangs on it", async () => {
  const { tasks, create, show, work } = await open();
  const whole = await create("Whole");
  const part = await create("Part", { parentId: whole.id });
  await create("Part of a part", { parentId: part.id });
  const next = await create("Next", { dependsOn: [part.id] });
  await create("After next", { dependsOn: [next.id] });
  await tasks.addNote(scope, part.id, { kind: "feedback", text: "keep the names", trust: "untrusted" });
  await (await work(part)).end("failed");
  expect(await show(part.id)).toMatchObject({
    task: { id: part.id, state: "READY", retries: 1 },
    notes: [{ text: "keep the names", trust: "untrusted" }],
    results: [{ attempt: 1, outcome: "failed", summary: "so it went" }],
    history: expect.arrayContaining([expect.objectContaining({ event: "CREATED" })]),
    partOf: [{ title: "Whole" }],
    subtasks: [{ title: "Part of a part", depth: 1 }],
    dependsOn: [],
    blocks: [{ title: "Next", state: "DEFINED" }],
    holdsUp: 2,
    command: `haft tasks show ${part.id}`,
  });
  await expect(show("no-such")).rejects.toMatchObject({ code: "CONSOLE_NOT_FOUND" });
});

test("the graph is what hangs together with a task, or all that is open and tied to something", async () => {
  const { views, create, work } = await open();
  const first = await create("First");
  const second = await create("Second", { dependsOn: [first.id] });
  const third = await create("Third", { dependsOn: [second.id], projectId: "shop" });
  await create("Alone");
  const read = async (query: Record<string, string>) => {
    const { nodes, edges, cut } = await views.ask("GET /tasks/graph", { query });
    return {
      nodes: nodes.map(({ id }) => id).toSorted(),
      edges: edges.map((edge) => edge.join(" ")).toSorted(),
      cut,
    };
  };
  const whole = {
    nodes: [first.id, second.id, third.id].toSorted(),
    edges: [`${first.id} ${second.id}`, `${second.id} ${third.id}`].toSorted(),
    cut: false,
  };
  expect(await read({})).toEqual(whole);
  expect(await read({ task: third.id })).toEqual(whole);
  await (await work(first)).end("completed");
  expect(await read({ project: "app" })).toEqual({ nodes: [], edges: [], cut: false });
  expect(await read({ task: third.id })).toEqual(whole);
});

test("a person stops a task, reopens it with feedback, and skips it: others can begin", async () => {
  const { views, tasks, create, show, act, work } = await open();
  const first = await create("First");
  const second = await create("Second", { dependsOn: [first.id] });
  await work(first);
  const shown = (await show(first.id)).task.version;
  expect(await act(first, "stop")).toEqual({ state: "BLOCKED", freed: [] });
  expect(await act(first, "reopen", { feedback: "Mind the tests" })).toEqual({ state: "READY", freed: [] });
  expect((await show(first.id)).notes).toMatchObject([{ kind: "feedback", text: "Mind the tests" }]);
  await work(first);
  await act(first, "stop");
  expect(await act(first, "skip")).toEqual({ state: "COMPLETED", freed: [second.id] });
  expect(await act(first, "archive")).toMatchObject({ state: "COMPLETED" });
  expect(await act(first, "restore")).toMatchObject({ state: "READY" });
  const segments = { id: first.id };
  await expect(
    views.ask("POST /tasks/:id/act", { segments, body: { act: "stop", version: shown } }),
  ).rejects.toMatchObject({ code: "CONSOLE_CHANGED" });
  await expect(act(first, "stop")).rejects.toMatchObject({ code: "QUEUE_TASK_STATE" });
  const records = await views.app.records();
  const { rows } = await records.listCalls({ tools: ["skip_task"] });
  expect(rows).toMatchObject([{ userId: "person:console", channel: "console", state: "completed" }]);
  expect((await tasks.happenings({ scope, taskId: first.id, limit: 100 })).map(({ by }) => by)).toContain(
    "person:console",
  );
});

test("an approval is the person's own yes, with the PIN where one is set", async () => {
  const { views, create, act, work } = await open();
  const task = await create("Ask me", { requiresApproval: true });
  await (await work(task)).end("completed");
  await new OwnerPin(views.installation.home).set("1234");
  await expect(act(task, "approve")).rejects.toMatchObject({ code: "PIN_REQUIRED" });
  await expect(act(task, "approve", { pin: "4321" })).rejects.toMatchObject({ code: "PIN_WRONG" });
  expect(await act(task, "approve", { pin: "1234" })).toEqual({ state: "COMPLETED", freed: [] });
});

test("a rule that denies binds the person, too", async () => {
  const { create, act, work } = await open(
    "permissions:\n  - { tool: stop_task, decision: deny, reason: never }\n",
  );
  const task = await create("Keep on");
  await work(task);
  await expect(act(task, "stop")).rejects.toMatchObject({ code: "TOOL_PERMISSION" });
});

const withModel =
  'models:\n  main: { provider: openai-compatible, url: "http://127.0.0.1:9", model: none, contextTokens: 1000 }\nagent: { model: main }\n';

/** Starts a task of the agent, which waits for a process that drives it. */
async function startTask({ app }: ConsoleViews) {
  const { taskRuns } = await app.store();
  return taskRuns.start({
    scope,
    projectId: "app",
    agentId: "main",
    description: "Draw",
    input: "Draw a logo",
    settings: {},
    trust: "trusted",
    limits: { maxDepth: 2, maxActive: 5, maxChildren: 8, perHour: 60 },
  });
}

test.for([
  ["a task that it depends on needs a person's approval", ""],
  ["a rule asks about it", "permissions: [{ tool: resume_task, decision: ask }]\n"],
] as const)("a task under way is stopped to be done again only after the PIN: %s", async ([, rules]) => {
  const { views, tasks, create, act } = await open(`${withModel}${rules}`);
  const { runs } = await views.app.store();
  const { task } = await startTask(views);
  if (rules === "") {
    // A person began it all the same.
    const { id } = await create("Ask me", { requiresApproval: true });
    await act(task, "stop");
    await tasks.addDependency(scope, task.id, id);
    await act(task, "retry");
  }
  const { runId = "" } = await tasks.require(scope, task.id);
  await new OwnerPin(views.installation.home).set("1234");
  for (const what of ["retry", "reopen"] as const) {
    const more = what === "reopen" ? { feedback: "With more green" } : {};
    await expect(act(task, what, more)).rejects.toMatchObject({ code: "PIN_REQUIRED" });
    await expect(act(task, what, { ...more, pin: "4321" })).rejects.toMatchObject({ code: "PIN_WRONG" });
  }
  expect((await tasks.require(scope, task.id)).state).toBe("ASSIGNED");
  expect((await runs.get(scope, runId))?.state).toBe("pending");
  expect(await act(task, "retry", { pin: "1234" })).toMatchObject({ state: "ASSIGNED" });
  expect((await runs.get(scope, runId))?.state).toBe("stopped");
  expect((await tasks.require(scope, task.id)).runId).not.toBe(runId);
});

test.for([
  ["a rule", "permissions: [{ tool: resume_task, decision: deny, reason: never }]\n", "never"],
  [
    "mode locked",
    "mode: locked\npermissions: [{ tool: stop_task, decision: allow }, { tool: resume_task, decision: ask }]\n",
    "mode locked asks nobody",
  ],
] as const)("a task under way that %s forbids to be done again is not stopped", async ([, rules, why]) => {
  const { views, tasks, act } = await open(`${withModel}${rules}`);
  const { task } = await startTask(views);
  await expect(act(task, "retry")).rejects.toMatchObject({
    code: "TOOL_PERMISSION",
    message: expect.stringContaining(why),
  });
  expect((await tasks.require(scope, task.id)).state).toBe("ASSIGNED");
});

test("a task of an agent that is to be done again is done by that agent, which hears the feedback", async () => {
  const { views, tasks, act } = await open(withModel);
  const { runs, sessions } = await views.app.store();
  const { task, run } = await startTask(views);
  const claimed = await runs.claim(scope, run.id, 60_000);
  if (claimed === undefined) throw new Error("nobody has it");
  await runs.write(claimed, { run: { state: "parked", why: "approval", waitFor: "approval:a_1" } });
  // It waits for a person, and is begun anew all the same.
  expect(await act(task, "reopen", { feedback: "With more green" })).toMatchObject({ state: "ASSIGNED" });
  expect((await runs.get(scope, run.id))?.state).toBe("stopped");
  const again = await runs.get(scope, (await tasks.require(scope, task.id)).runId ?? "");
  expect(again).toMatchObject({ state: "pending", sessionId: run.sessionId });
  const waiting = await sessions.waiting(scope, run.sessionId);
  expect(JSON.stringify(waiting)).toContain("With more green");
  expect(await act(task, "stop")).toMatchObject({ state: "BLOCKED" });
  expect(await act(task, "retry")).toMatchObject({ state: "ASSIGNED" });
});

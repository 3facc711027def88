import { expect, test } from "vitest";
import { Interrupts } from "../../src/agent/index.ts";
import { runJobs } from "../../src/app/agent/run-jobs.ts";
import { JobRunner } from "../../src/modules/jobs/index.ts";
import { readTaskIds, spawn, TaskWorld, waitFor } from "../support/task-world.ts";

/** How often a text stands in another. */
const count = (text: string, part: string): number => text.split(part).length - 1;

test("the result of a task wakes an idle parent in the background (ironclaw #4084, #4147, #4474)", async () => {
  const world = new TaskWorld();
  const provider = await world.script(
    (turn) =>
      turn.answers === 0
        ? { calls: [spawn("Look", "alpha")] }
        : { text: turn.text.includes("found it") ? "It is found." : "I have started it." },
    { alpha: () => ({ text: "found it" }) },
  );
  const { run, end } = await world.turn("Go");
  expect(end).toMatchObject({ text: "I have started it." });
  const next = await (await world.tasks()).next(run.sessionId, new AbortController().signal);
  // Nobody drives it here: a program that works in the background for the folder does.
  const app = await world.app();
  const { jobs, runs } = await app.store();
  const job = (await jobs.list({ key: next?.id ?? "" }))[0];
  expect(job).toMatchObject({ state: "pending" });
  if (next === undefined || job === undefined) throw new Error("There is no next turn");
  await runJobs(app)[job.kind]?.(job, new AbortController().signal);
  expect(await runs.get("local", next.id)).toMatchObject({
    state: "completed",
    result: "It is found.",
    rootId: run.id,
  });
  expect(await world.notes(run.sessionId)).toEqual([
    expect.stringMatching(/^The task [\w-]+ \(Look\) is completed\. Its result:\n\nfound it$/),
  ]);
  expect(count(JSON.stringify(provider.lastMessages()), "found it")).toBe(1);
});

test("a busy parent reads the result of a task at its next step (nicobailon/pi-subagents #95, #658, #978)", async () => {
  const world = new TaskWorld();
  let isDone = false;
  await world.script(
    (turn) => {
      if (turn.answers === 0) return { calls: [spawn("Look", "alpha")] };
      if (turn.text.includes("found it")) return { text: "It is found." };
      return { calls: [{ name: "sleep", input: { duration: isDone ? 0.2 : 0.02 } }] };
    },
    {
      alpha: () => {
        isDone = true;
        return { text: "found it" };
      },
    },
  );
  const { run, end } = await world.turn("Go");
  expect(end).toMatchObject({ state: "completed", text: "It is found." });
  expect(await world.notes(run.sessionId)).toHaveLength(1);
});

test("a result that task_wait gave comes in no note, and task_wait gives it once (claude-code #49150)", async () => {
  const world = new TaskWorld();
  const provider = await world.script(
    (turn) => {
      if (turn.answers === 0) return { calls: [spawn("Look", "alpha")] };
      if (turn.answers < 3) return { calls: [waitFor(readTaskIds(turn).slice(0, 1))] };
      return { text: "Done." };
    },
    { alpha: () => ({ text: "found it" }) },
  );
  const { run } = await world.say("Go");
  const [first, second] = await world.results(run.sessionId, "task_wait");
  expect(first?.text).toContain('"result":"found it"');
  expect(second?.text).toContain('"told":true');
  expect(second?.text).not.toContain("found it");
  expect(await world.notes(run.sessionId)).toEqual([]);
  expect(count(JSON.stringify(provider.lastMessages()), "found it")).toBe(1);
  const { sessions } = await (await world.app()).store();
  expect(await sessions.waiting("local", run.sessionId)).toEqual([]);
});

test("task_wait does not end at once for a task whose result was told before", async () => {
  const world = new TaskWorld();
  let isTold = false;
  await world.script(
    (turn) => {
      if (turn.answers === 0) return { calls: [spawn("A", "alpha"), spawn("B", "beta")] };
      isTold = turn.answers > 1;
      return turn.answers < 3 ? { calls: [waitFor(readTaskIds(turn).slice(0, 2))] } : { text: "Done." };
    },
    {
      alpha: () => ({ text: "this first" }),
      beta: () => (isTold ? { text: "that then" } : { calls: [{ name: "sleep", input: { duration: 0.2 } }] }),
    },
  );
  const { run } = await world.say("Go");
  const [first, second] = await world.results(run.sessionId, "task_wait");
  expect(first?.text).toContain("this first");
  expect(first?.text).not.toContain("that then");
  expect(second?.text).toContain("that then");
});

test("spawn_task with wait gives the result where it is there in time, and no failure where it is not", async () => {
  const world = new TaskWorld();
  await world.script(
    (turn) =>
      turn.answers === 0
        ? { calls: [spawn("Quick", "alpha", { wait: 60 }), spawn("Slow", "beta", { wait: 0.2 })] }
        : { text: "Done." },
    {
      alpha: () => ({ text: "quick" }),
      beta: () => ({ calls: [{ name: "sleep", input: { duration: 300 } }] }),
    },
  );
  const { run } = await world.turn("Go");
  const [quick, slow] = await world.results(run.sessionId, "spawn_task");
  expect(quick).toMatchObject({ failed: false, text: expect.stringContaining('"result":"quick"') });
  expect(slow).toMatchObject({ failed: false, text: expect.stringMatching(/"state":"(pending|running)"/) });
});

test("an interrupted task_wait loses no result: it comes in a note", async () => {
  const world = new TaskWorld();
  const interrupts = new Interrupts();
  const interrupted = Promise.withResolvers<void>();
  await world.script(
    (turn) => {
      if (turn.answers === 0) return { calls: [spawn("Look", "alpha")] };
      if (turn.answers === 1) return { calls: [waitFor(readTaskIds(turn))] };
      return { text: turn.text.includes("found it") ? "It is found." : "Nothing." };
    },
    {
      alpha: async () => {
        await interrupted.promise;
        return { text: "found it" };
      },
    },
  );
  const host = await (await world.app()).agent();
  const run = await host.begin({ channel: "terminal", parts: [{ type: "text", text: "Go" }] });
  await (await world.tasks()).add(run.sessionId);
  const end = await host.drive(run, {
    interrupts,
    emit: (event) => {
      if (event.type === "call.began" && event.name === "task_wait") interrupts.interrupt("the user");
    },
  });
  expect(end).toMatchObject({ state: "stopped" });
  interrupted.resolve();
  const again = await world.say("And?", { sessionId: run.sessionId });
  const { end: last } =
    again.end.state === "completed" && again.end.text === "It is found."
      ? again
      : await world.say("Now?", { sessionId: run.sessionId });
  expect(last).toMatchObject({ text: "It is found." });
  expect(await world.notes(run.sessionId)).toHaveLength(1);
});

test("a task that failed tells its parent, too (openclaw PR #29846)", async () => {
  const world = new TaskWorld();
  await world.script(
    (turn) => {
      if (turn.answers === 0) return { calls: [spawn("Look", "alpha")] };
      return { text: turn.text.includes("failed [MODEL_BAD_REQUEST]") ? "It failed." : "Started." };
    },
    { alpha: () => ({ refuse: 400 }) },
  );
  const { run, end } = await world.say("Go");
  expect(end).toMatchObject({ text: "It failed." });
  const { tasks } = await (await world.app()).store();
  const [task] = (await tasks.list({ scope: "local" })).tasks;
  expect(task).toMatchObject({ state: "FAILED", title: "Look" });
  expect(await world.notes(run.sessionId)).toHaveLength(1);
});

test("a parent that sums up its conversation meanwhile loses no result, and still knows of its task (openclaw #118625)", async () => {
  const world = new TaskWorld();
  const summedUp = Promise.withResolvers<void>();
  const provider = await world.script(
    (turn) => {
      if (turn.text.includes("found it")) return { text: "It is found." };
      return turn.answers === 0 && turn.text.includes("Go")
        ? { calls: [spawn("Look", "alpha")] }
        : { text: "Started." };
    },
    {
      alpha: async () => {
        await summedUp.promise;
        return { text: "found it" };
      },
    },
  );
  const long = "All of this is to be known. ".repeat(4_000);
  const { run } = await world.turn(`Go. ${long}`);
  await world.turn(`And this. ${long}`, { sessionId: run.sessionId });
  const app = await world.app();
  const { sessions, runs } = await app.store();
  await (await app.agent()).compact(run.sessionId);
  summedUp.resolve();
  const summary = (await sessions.shown("local", run.sessionId))[0];
  const facts = summary?.kind === "summary" ? summary.text.slice(-1_000) : "";
  expect(facts).toMatch(/The task [\w-]+ \(Look\) is under way/);
  expect(facts).toContain("session_archive_read");
  const next = await (await world.tasks()).next(run.sessionId, new AbortController().signal);
  if (next === undefined) throw new Error("There is no next turn");
  expect(await world.drive(next)).toMatchObject({ text: "It is found." });
  expect(count(JSON.stringify(provider.lastMessages()), "found it")).toBe(1);
  expect((await runs.list({ scope: "local", sessionId: run.sessionId })).map(({ state }) => state)).toEqual([
    "completed",
    "completed",
    "completed",
    "completed",
  ]);
});

test("a run in the background is parked while it waits for a task, so five that wait keep no task from its turn", async () => {
  const world = new TaskWorld();
  await world.script(
    (turn) => {
      if (turn.answers === 0) return { calls: [spawn("Look", "alpha")] };
      if (turn.answers === 1) return { calls: [waitFor(readTaskIds(turn))] };
      return { text: `Got ${turn.results.at(-1)}` };
    },
    { alpha: () => ({ text: "found it" }) },
  );
  const app = await world.app();
  const host = await app.agent();
  const { jobs, runs, taskRuns } = await app.store();
  const parents = [];
  for (let at = 0; at < 5; at++)
    parents.push(
      await host.begin({
        channel: "terminal",
        parts: [{ type: "text", text: `Go ${at}` }],
        inBackground: true,
      }),
    );
  // One place for all of them.
  const runner = new JobRunner({ jobs, handlers: runJobs(app), atOnce: 1, watchMs: 20, pollMs: 50 });
  runner.start();
  for (const { id } of parents)
    await expect.poll(async () => (await runs.get("local", id))?.state).toBe("completed");
  await runner.close();
  for (const { id, sessionId } of parents) {
    expect((await runs.get("local", id))?.result).toContain('"result":"found it"');
    expect(await world.notes(sessionId)).toEqual([]);
    expect(await taskRuns.listLive("local", sessionId)).toEqual([]);
  }
});

test("a run in the background that has answered ends once its tasks have, and says what they found", async () => {
  const world = new TaskWorld();
  await world.script(
    (turn) => {
      if (turn.text.includes("found it")) return { text: "It is found." };
      return turn.answers === 0 ? { calls: [spawn("Look", "alpha")] } : { text: "Started." };
    },
    { alpha: () => ({ text: "found it" }) },
  );
  const app = await world.app();
  const host = await app.agent();
  const { jobs, runs } = await app.store();
  const parts = [{ type: "text" as const, text: "Go" }];
  const { id } = await host.begin({ channel: "terminal", parts, inBackground: true });
  const runner = new JobRunner({ jobs, handlers: runJobs(app), atOnce: 1, watchMs: 20, pollMs: 50 });
  runner.start();
  await expect.poll(async () => (await runs.get("local", id))?.state).toBe("completed");
  await runner.close();
  expect(await runs.get("local", id)).toMatchObject({ result: "It is found." });
});

test.for(["trusted", "untrusted"] as const)(
  "a result that is too long to be shown is read whole as an artifact, which is as %s as the task",
  async (trust) => {
    const world = new TaskWorld();
    const long = `${"All of this was found. ".repeat(2_000)}The last word.`;
    await world.script(
      (turn) => {
        if (turn.answers === 0) return { calls: [spawn("Look", "alpha", { wait: 60 })] };
        const [, id = ""] = /artifact_read has all of it as ([\w-]+)/.exec(turn.results.join()) ?? [];
        if (turn.answers > 1) return { text: "Done." };
        return { calls: [{ name: "artifact_read", input: { id, offset: long.length - 100 } }] };
      },
      { alpha: () => ({ text: long }) },
    );
    const { run } = await world.say("Go", { trust });
    const [spawned] = await world.results(run.sessionId, "spawn_task");
    expect(spawned).toMatchObject({ trust });
    expect(spawned?.text.length).toBeLessThan(33_000);
    expect(spawned?.text).toContain(`of ${long.length} characters`);
    const [read] = await world.results(run.sessionId, "artifact_read");
    expect(read).toMatchObject({ failed: false, trust });
    expect(read?.text).toContain("The last word.");
  },
);

test("a result that comes while its parent says its last word begins the parent's next turn", async () => {
  const world = new TaskWorld();
  await world.script(() => ({ text: "Done." }), {});
  const { sessions, runs, taskRuns } = await (await world.app()).store();
  const session = await sessions.open({ scope: "local", agentId: "main", channel: "terminal" });
  const { id } = await runs.begin({ scope: "local", kind: "turn", sessionId: session.id });
  const parent = await runs.claim("local", id, 60_000);
  const started = await taskRuns.start({
    scope: "local",
    projectId: "p",
    parentRunId: id,
    agentId: "main",
    description: "Look",
    input: "alpha",
    settings: null,
    trust: "trusted",
    limits: { maxDepth: 2, maxActive: 5, maxChildren: 8, perHour: 60 },
  });
  const task = await runs.claim("local", started.run.id, 60_000);
  if (parent === undefined || task === undefined) throw new Error("not claimed");
  await runs.write(task, { run: { state: "completed", result: "found it" } });
  const list = () => runs.list({ scope: "local", sessionId: session.id, states: ["pending"] });
  // It is at work, and may still read its messages.
  expect(await list()).toEqual([]);
  await runs.write(parent, { run: { state: "completed", result: "I am done." } });
  expect(await list()).toMatchObject([{ kind: "turn", rootId: id }]);
  const waiting = await sessions.waiting("local", session.id);
  expect(waiting.map(({ parts }) => JSON.stringify(parts)).join()).toContain("found it");
});

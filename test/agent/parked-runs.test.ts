import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { driveRun, Interrupts } from "../../src/agent/index.ts";
import { callHistory } from "../../src/app/agent/call-history.ts";
import { openStore } from "../../src/app/store/index.ts";
import { defineTool, ToolExecutor, ToolRegistry } from "../../src/kernel/index.ts";
import { ModelError } from "../../src/model/index.ts";
import { JobRunner } from "../../src/modules/jobs/index.ts";
import { runJobKind } from "../../src/modules/sessions/index.ts";
import { createFakeClock, createScriptedChat } from "../../src/testing/index.ts";

const scope = "local";
const day = 86_400_000;

/** A process that drives the runs of a project in the background, by a clock that stands still. */
async function openProcess() {
  const clock = createFakeClock();
  const store = await openStore({ path: ":memory:", clock });
  const sent: number[] = [];
  const registry = new ToolRegistry();
  registry.registerMany([
    defineTool({
      name: "send",
      description: "Send it.",
      parameters: z.strictObject({ n: z.int() }),
      confirm: true,
      execute: ({ n }) => {
        sent.push(n);
        return "sent";
      },
    }),
    defineTool({
      name: "look",
      description: "Look at it.",
      parameters: z.strictObject({}),
      annotations: { readOnly: true, openWorld: false },
      execute: () => "seen",
    }),
  ]);
  // One slot: a call that held it would keep all others out.
  const executor = new ToolExecutor(registry, {
    ledger: store.ledger,
    approvals: store.approvals,
    maxConcurrent: 1,
    clock,
  });
  const busy = { isBusy: true };
  const model = createScriptedChat(({ messages }) => {
    const [first] = messages[0]?.role === "user" ? messages[0].parts : [];
    const [, what, n] = /(\w+) (\d+)/.exec(first?.type === "text" ? first.text : "") ?? [];
    if (what === "wait" && busy.isBusy)
      return new ModelError("MODEL_RATE_LIMIT", "Later", { details: { retryAfterMs: 600_000 } });
    if (what === "send" && messages.length === 1)
      return { calls: [{ name: "send", input: { n: Number(n) } }] };
    return "Done.";
  });
  const states = async () =>
    Object.fromEntries(
      Object.entries(Object.groupBy(await store.runs.list({ scope, limit: 1000 }), ({ state }) => state)).map(
        ([state, runs]) => [state, runs.length],
      ),
    );
  const runner = new JobRunner({
    jobs: store.jobs,
    clock,
    atOnce: 5,
    handlers: {
      [runJobKind("/w")]: async ({ key: runId }, signal) => {
        await driveRun({
          store,
          scope,
          runId,
          model,
          executor,
          history: callHistory(store.ledger, registry, store.approvals),
          makePrefix: async () => ({ model: model.id, system: [], tools: [] }),
          context: () => ({ scope, taskId: runId, personMs: 0, questionLifeMs: day }),
          parks: "all",
          interrupts: new Interrupts(),
          leave: signal,
          emit: () => {},
          maxSteps: 10,
          clock,
        });
      },
    },
  });
  onTestFinished(async () => {
    await runner.close(0);
    await store.close();
  });
  /** Lets what can go on go on, without time passing. */
  const until = async (isDone: () => Promise<boolean>) => {
    for (let turn = 0; turn < 20_000 && !(await isDone()); turn++) await clock.advance(0);
    expect(await isDone()).toBe(true);
  };
  const begin = async (text: string) => {
    const { id: sessionId } = await store.sessions.open({ scope, agentId: "main", channel: "test" });
    await store.sessions.post({ scope, sessionId, sender: "user", parts: [{ type: "text", text }] });
    return store.runs.begin({ scope, kind: "turn", sessionId, project: "/w", queued: true });
  };
  return { clock, store, executor, runner, busy, sent, states, until, begin };
}

test("200 parked runs and 50 open questions take no place of the gate or the runner, and no timer", async () => {
  const { clock, store, executor, runner, busy, sent, states, until, begin } = await openProcess();
  runner.start();
  await until(async () => clock.pending === 1);
  for (let n = 0; n < 200; n++) await begin(`${n % 4 === 0 ? "send" : "wait"} ${n}`);
  runner.wake();
  await until(async () => (await states())["parked"] === 200);
  expect(await store.approvals.list({ state: "pending" })).toHaveLength(50);
  await until(async () => (await store.jobs.list({ states: ["running"] })).length === 0);
  // The runner's next look, and nothing else.
  expect(clock.pending).toBe(1);
  expect(await executor.run("look", {})).toMatchObject({ success: true });
  await begin("go 1");
  runner.wake();
  await until(async () => (await states())["completed"] === 1);

  for (const { id } of await store.approvals.list({ state: "pending" }))
    await store.approvals.answer(id, { approved: true, by: "owner:ada" });
  runner.wake();
  await until(async () => (await states())["completed"] === 51);
  expect(sent.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at * 4));

  busy.isBusy = false;
  await clock.advance(600_000);
  await until(async () => (await states())["completed"] === 201);
  expect(clock.pending).toBe(1);
});

test("a question that nobody answers ends with its life: the model is told, and the run goes on", async () => {
  const { clock, store, runner, sent, states, until, begin } = await openProcess();
  runner.start();
  const { sessionId } = await begin("send 7");
  runner.wake();
  await until(async () => (await states())["parked"] === 1);
  // A clock that jumps an hour changes nothing for a question that lives a day.
  await clock.advance(3_600_000);
  expect(await states()).toEqual({ parked: 1 });
  await clock.advance(day - 3_600_000);
  await until(async () => (await states())["completed"] === 1);
  const entries = await store.sessions.entries(scope, sessionId);
  expect(entries.find(({ kind }) => kind === "result")).toMatchObject({
    failed: true,
    text: expect.stringContaining("nobody answered in time"),
  });
  expect([sent, await store.approvals.list({ state: "pending" })]).toEqual([[], []]);
});

test("a run that waits for its model goes on when it can be asked, and not before", async () => {
  const { clock, runner, busy, states, until, begin } = await openProcess();
  runner.start();
  await begin("wait 1");
  runner.wake();
  await until(async () => (await states())["parked"] === 1);
  busy.isBusy = false;
  await clock.advance(599_000);
  expect(await states()).toEqual({ parked: 1 });
  await clock.advance(1_000);
  await until(async () => (await states())["completed"] === 1);
});

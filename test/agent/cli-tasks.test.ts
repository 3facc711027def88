import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore, type Store } from "../../src/app/store/index.ts";
import { finish, Place, untilSays } from "../e2e/cli-process.ts";
import { hasTerminal, PseudoTerminal } from "../e2e/pseudo-terminal.ts";
import { useScriptedProvider } from "../support/scripted-provider.ts";

const scope = "local";

async function openPlace(place: Place): Promise<Store> {
  const store = await openStore({ path: join(place.home, "haft.db") });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

/** A task that a run of an agent works on. */
async function give({ tasks, sessions, runs }: Store, title: string, agentId: string): Promise<string> {
  const session = await sessions.open({ scope, agentId, channel: "task" });
  const run = await runs.begin({ scope, kind: "task", sessionId: session.id });
  const task = await tasks.create({ scope, projectId: "app", title });
  await tasks.apply(scope, task.id, "ASSIGNED", { agentId, runId: run.id, sessionId: session.id });
  await tasks.apply(scope, task.id, "AGENT_STARTED");
  return task.id;
}

/** A pattern of a line that is broken wherever the length of an id has it. */
const toLine = (pattern: string) => new RegExp(pattern.replaceAll(" ", String.raw`\s+`));

test.skipIf(!hasTerminal)(
  "haft chat says a line when a task of its agent is over or waits for a person, whoever did it",
  async () => {
    const place = new Place();
    await useScriptedProvider(place, []);
    const store = await openPlace(place);
    const terminal = new PseudoTerminal(place, ["chat"]);
    await terminal.shows("› ");
    const foreign = await give(store, "Of another agent", "painter");
    const failed = await give(store, "Fix the parser", "main");
    const asking = await give(store, "Write the tests", "main");
    await store.tasks.apply(scope, foreign, "AGENT_FAILED");
    await store.tasks.apply(scope, failed, "AGENT_FAILED", { why: "no parser there" });
    await terminal.shows(toLine(`✗ ${failed}, Fix the parser: failed \\d+ s ago \\(no parser there\\)`));
    await store.tasks.apply(scope, asking, "AGENT_QUESTION");
    await terminal.shows(toLine(`… ${asking}, Write the tests: waits for your answer`));
    await terminal.shows("› ");
    terminal.type("/tasks\r");
    await terminal.shows(toLine(`${asking}, Write the tests: waits for your answer since`));
    terminal.type("\u0004");
    const { exitCode, screen } = await terminal.ended;
    expect(exitCode).toBe(0);
    expect(screen).not.toContain(`✗ ${foreign}`);
  },
);

test("haft tasks watch prints what is over or waits for a person, from any process, and not what went on by itself", async () => {
  const place = new Place();
  const store = await openPlace(place);
  const watching = place.start(["tasks", "watch", "--json", "--project", "app"]);
  if (watching.stderr === null || watching.stdout === null) throw new Error("it has both");
  const said: Promise<string> = untilSays(watching.stdout, "COMPLETED");
  await untilSays(watching.stderr, "Waiting for tasks");
  const other = await store.tasks.create({ scope, projectId: "web", title: "Elsewhere" });
  const resting = await give(store, "Goes on by itself", "main");
  await store.tasks.apply(scope, resting, "TOKENS_EXHAUSTED", { resumeAfter: 4_000_000_000_000 });
  const { id } = await store.tasks.create({ scope, projectId: "app", title: "Fix the parser" });
  for (const task of [other.id, id]) {
    const claimed = await store.tasks.claim({ scope, id: task, agentId: "painter", leaseMs: 60_000 });
    const result = { outcome: "completed" } as const;
    await store.tasks.end({ scope, id: task, lease: claimed?.lease ?? "", result });
  }
  expect(JSON.parse(await said)).toMatchObject({
    id,
    state: "COMPLETED",
    happening: { event: "VERIFY_PASSED" },
  });
  const ended = finish(watching);
  watching.kill("SIGINT");
  expect((await ended).exitCode).toBe(0);
});

test("haft tasks resume goes on with a task that paused", async () => {
  const place = new Place();
  await useScriptedProvider(place, [
    { calls: [{ name: "listdir", input: { path: "." } }] },
    { text: "I have looked." },
    { text: "Now it is done." },
  ]);
  const paused = await place.run(["run", "Go", "--steps", "1"]);
  const [, runId = ""] = /haft run --resume (\S+)/.exec(paused.stderr) ?? [];
  const store = await openPlace(place);
  const run = await store.runs.get(scope, runId);
  const { id } = await store.tasks.create({ scope, projectId: "app", title: "Go" });
  const ran = { agentId: "main", runId, sessionId: run?.sessionId ?? "" };
  await store.tasks.apply(scope, id, "ASSIGNED", ran);
  await store.tasks.apply(scope, id, "AGENT_STARTED");
  await store.tasks.apply(scope, id, "TOKENS_EXHAUSTED");
  expect((await place.run(["tasks"])).stdout).toMatch(
    /paused since \d+ s \(steps\), waits for your decision/,
  );
  expect((await place.run(["tasks", "show", id])).stdout).toContain(`haft tasks resume ${id}`);
  expect(await place.run(["tasks", "resume", id])).toMatchObject({
    exitCode: 0,
    stdout: "Now it is done.\n",
  });
  expect((await store.runs.get(scope, runId))?.state).toBe("completed");
});

test.skipIf(!hasTerminal)("haft tasks approve asks the person at the terminal, and takes a no", async () => {
  const place = new Place();
  const store = await openPlace(place);
  const { id } = await store.tasks.create({ scope, projectId: "app", title: "Go", requiresApproval: true });
  const claimed = await store.tasks.claim({ scope, id, agentId: "painter", leaseMs: 60_000 });
  await store.tasks.end({ scope, id, lease: claimed?.lease ?? "", result: { outcome: "completed" } });
  const no = new PseudoTerminal(place, ["tasks", "approve", id]);
  await no.shows("Allow it?");
  no.type("n");
  expect((await no.ended).exitCode).toBe(4);
  expect((await store.tasks.require(scope, id)).state).toBe("AWAITING_APPROVAL");
  const yes = new PseudoTerminal(place, ["tasks", "approve", id]);
  await yes.shows("Allow it?");
  yes.type("y");
  const { exitCode, screen } = await yes.ended;
  expect([exitCode, screen]).toEqual([0, expect.stringContaining(`${id} is approved: done`)]);
});

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readTaskIds, spawn, TaskWorld, waitFor } from "../support/task-world.ts";

/** A world in which the main agent starts so many tasks at once, and says what came of the last. */
async function startMany(count: number, limits: string): Promise<string> {
  const world = new TaskWorld();
  await world.script(
    (turn) =>
      turn.answers === 0
        ? { calls: Array.from({ length: count }, (_, at) => spawn(`Part ${at}`, `part ${at}`)) }
        : { text: "Done." },
    { "part ": () => ({ text: "ok" }) },
    "",
    { agent: `tasks: { ${limits} }` },
  );
  const { run } = await world.turn("Go");
  const results = await world.results(run.sessionId, "spawn_task");
  const refused = results.filter(({ failed }) => failed);
  expect(refused).toHaveLength(1);
  expect(refused[0]?.code).toBe("TASK_LIMIT");
  return refused[0]?.text ?? "";
}

test("no more tasks are under way at once than agent.tasks.maxActive", async () => {
  expect(await startMany(3, "maxActive: 2")).toContain(
    "2 tasks of this conversation are under way, and agent.tasks.maxActive is 2; wait for one with task_wait",
  );
});

test("a run starts no more tasks in all than agent.tasks.maxChildren", async () => {
  expect(await startMany(3, "maxActive: 9, maxChildren: 2")).toContain("this run has started 2 tasks");
});

test("no more tasks are started within an hour than agent.tasks.perHour", async () => {
  expect(await startMany(3, "perHour: 2")).toContain("2 tasks were started within the last hour");
});

test("with agent.tasks.maxDepth 0 no task is started", async () => {
  expect(await startMany(1, "maxDepth: 0")).toContain("tasks may be nested 0 deep");
});

function writeAgent(world: TaskWorld, id: string, fields: string): void {
  const folder = join(world.home, "agent");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "config.md"), `---\nid: ${id}\n${fields}\n---\nBe brief.\n`);
}

test("the limits of a task bind: its calls of spawn_task, task_wait, reply and secret_list are refused, whatever its model says", async () => {
  const world = new TaskWorld();
  const names = ["spawn_task", "task_wait", "secret_list", "session_archive_read"];
  const inputs = [spawn("x", "y").input, { taskIds: ["x"] }, {}, { file: "s/1" }];
  await world.script(
    (turn) =>
      turn.answers === 0
        ? { calls: [spawn("Try", "alpha", { wait: 60 })] }
        : { text: turn.results.at(-1) ?? "" },
    {
      alpha: (turn) =>
        turn.answers === 0
          ? { calls: names.map((name, at) => ({ name, input: inputs[at] })) }
          : { text: turn.results.join("|") },
    },
  );
  const { end } = await world.say("Go");
  const text = end.state === "completed" ? end.text : "";
  expect(text.match(/TOOL_NOT_CALLABLE/g)).toHaveLength(4);
  expect(text).toContain("a background task may not start other tasks");
});

test("only an agent whose file says canSpawn starts tasks in a task, and not deeper than agent.tasks.maxDepth", async () => {
  const world = new TaskWorld();
  writeAgent(world, "lead", "canSpawn: true\ncanInvokeAgents: [lead]");
  const down = (next: string) => (turn: { answers: number; results: readonly string[] }) =>
    turn.answers === 0
      ? { calls: [spawn("Below", next, { agent: "lead", wait: 60 })] }
      : { text: `${turn.results.at(-1)}` };
  await world.script(down("alpha"), { alpha: down("beta"), beta: down("gamma") });
  const { end, run } = await world.say("Go");
  expect(end).toMatchObject({ state: "completed" });
  const { runs } = await (await world.app()).store();
  const below = await runs.list({ scope: "local", below: run.sessionId });
  expect(below.map(({ depth, state }) => [depth, state])).toEqual([
    [2, "completed"],
    [1, "completed"],
  ]);
  const text = end.state === "completed" ? end.text : "";
  expect(text).toContain("tasks may be nested 2 deep");
  // The deepest task is not even offered the tool.
  expect(text).toContain("TOOL_NOT_CALLABLE");
});

test("canInvokeAgents of an agent's file says which agents it may start", async () => {
  const world = new TaskWorld();
  writeAgent(world, "lead", "canSpawn: true\ncanInvokeAgents: [coder]");
  await world.script(
    (turn) =>
      turn.answers === 0
        ? { calls: [spawn("A", "alpha", { agent: "lead" }), spawn("B", "beta", { agent: "coder" })] }
        : { text: "Done." },
    { alpha: () => ({ text: "ok" }), beta: () => ({ text: "ok" }) },
    "agents: { coder: { blockedTools: [bash] } }",
  );
  const { run } = await world.say("Go", { agentId: "lead" });
  const results = await world.results(run.sessionId, "spawn_task");
  expect(results.map(({ failed }) => failed)).toEqual([true, false]);
  expect(results[0]?.text).toContain('the agent "lead" may start only coder, and not "lead"');
});

test("an agent whose file does not say canSpawn starts no task", async () => {
  const world = new TaskWorld();
  writeAgent(world, "coder", "canInvokeAgents: [coder]");
  await world.script((turn) => (turn.answers === 0 ? { calls: [spawn("A", "alpha")] } : { text: "Done." }), {
    alpha: () => ({ text: "ok" }),
  });
  const { run } = await world.say("Go", { agentId: "coder" });
  const [refused] = await world.results(run.sessionId, "spawn_task");
  expect(refused?.text).toContain('the agent "coder" may not start other agents');
});

test("tasks that wait for each other are refused (pi-subagents #554)", async () => {
  const world = new TaskWorld();
  writeAgent(world, "lead", "canSpawn: true");
  const ids: string[] = [];
  const waiting = (other: number) => (turn: { answers: number; results: readonly string[] }) => {
    const id = ids[other];
    if (id === undefined) return { calls: [{ name: "sleep", input: { duration: 0.05 } }] };
    if (turn.results.some((result) => result.includes("TASK_WAIT_CYCLE") || result.includes('"state"')))
      return { text: turn.results.at(-1) ?? "" };
    return { calls: [waitFor([id])] };
  };
  await world.script(
    (turn) => {
      if (turn.answers === 0)
        return {
          calls: [spawn("A", "alpha", { agent: "lead" }), spawn("B", "beta", { agent: "lead" })],
        };
      ids.push(...readTaskIds(turn));
      return { text: "Started." };
    },
    { alpha: waiting(1), beta: waiting(0) },
  );
  const { run, end } = await world.say("Go");
  expect(end).toMatchObject({ state: "completed" });
  const { runs } = await (await world.app()).store();
  const below = await runs.list({ scope: "local", below: run.sessionId });
  expect(below.map(({ state }) => state)).toEqual(["completed", "completed"]);
  expect(below.map(({ result }) => result).join()).toContain("it waits for you");
});

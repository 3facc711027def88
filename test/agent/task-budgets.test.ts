import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { seedRandom } from "../support/agent-proof.ts";
import type { ProviderTurn } from "../support/scripted-provider.ts";
import { readTaskIds, spawn, TaskWorld, waitFor } from "../support/task-world.ts";

const priced = { model: "prices: { input: 10, output: 20 }, maxOutputTokens: 2000" };
const outputTokens = 10;
/** Micro-USD of an answer of the scripted provider. */
const bill = (inputTokens: number): number => inputTokens * 10 + outputTokens * 20;

function writeLead(world: TaskWorld): void {
  mkdirSync(join(world.home, "agent"), { recursive: true });
  writeFileSync(
    join(world.home, "agent/config.md"),
    "---\nid: lead\ncanSpawn: true\ncanInvokeAgents: [lead]\n---\nBe brief.\n",
  );
}

test("50 random trees of tasks with budgets spend at most their limit and one answer, and what is reported is what was billed", async () => {
  const world = new TaskWorld();
  writeLead(world);
  const random = seedRandom(18);
  const pick = (from: number, to: number) => from + Math.floor(random() * (to - from + 1));
  let bills: number[] = [];
  let starts = 0;
  const act = (answers: number): ProviderTurn => {
    const inputTokens = pick(100, 4_000);
    bills.push(bill(inputTokens));
    if (answers >= 3 || random() < 0.4) return { text: "Done.", inputTokens };
    const budgets = [
      undefined,
      { usd: pick(1, 10) / 100 },
      { tokens: pick(500, 20_000) },
      { steps: pick(1, 4) },
    ];
    const budget = budgets[pick(0, 3)];
    const calls = Array.from({ length: pick(1, 2) }, () =>
      spawn("Part", `part ${++starts}`, { agent: "lead", ...(budget !== undefined && { budget }) }),
    );
    return { calls, inputTokens };
  };
  await world.script(({ answers }) => act(answers), {}, "", {
    ...priced,
    agent: "tasks: { perHour: 10000 }",
  });
  const { usage, runs } = await (await world.app()).store();
  let deepest = 0;
  let reached = 0;
  for (let tree = 1; tree <= 50; tree++) {
    bills = [];
    const usd = pick(5, 60) / 100;
    const { run } = await world.say(`Tree ${tree}`, { usd, agentId: "lead" });
    const scope = "local";
    const spent = await usage.spent({ scope, rootId: run.rootId });
    const billed = bills.reduce((all, one) => all + one, 0);
    expect(spent.costMicros, `tree ${tree}`).toBe(billed);
    expect(billed, `tree ${tree}`).toBeLessThanOrEqual(usd * 1_000_000 + Math.max(0, ...bills));
    const below = await runs.list({ scope, below: run.sessionId, limit: 1_000 });
    deepest = Math.max(deepest, ...below.map(({ depth }) => depth));
    if (below.some(({ state, why }) => state === "paused" && why === "budget")) reached++;
    for (const one of below) {
      const own = (one.settings as { usd?: number }).usd;
      const part = await usage.spent({ scope, runIds: [one.id] });
      if (own !== undefined)
        expect(part.costMicros, one.id).toBeLessThanOrEqual(own * 1_000_000 + Math.max(0, ...bills));
    }
  }
  // Otherwise the limits would not have been tried.
  expect(deepest).toBe(2);
  expect(reached).toBeGreaterThan(5);
});

test("the budget of a task is reserved from its parent's: what another has reserved can't be given away, nor spent", async () => {
  const world = new TaskWorld();
  let isOver = false;
  await world.script(
    (turn) =>
      turn.answers === 0
        ? {
            calls: [
              spawn("A", "alpha", { budget: { usd: 0.6 } }),
              spawn("B", "beta", { budget: { usd: 0.6 } }),
            ],
          }
        : { calls: [{ name: "sleep", input: { duration: 0.01 * turn.answers } }], inputTokens: 10_000 },
    {
      alpha: () =>
        isOver ? { text: "ok" } : { calls: [{ name: "sleep", input: { duration: 0.05 } }], inputTokens: 1 },
      beta: () => ({ text: "ok" }),
    },
    "",
    priced,
  );
  const { run, end } = await world.turn("Go", { usd: 1 });
  const refused = (await world.results(run.sessionId, "spawn_task")).filter(({ failed }) => failed);
  expect(refused).toHaveLength(1);
  expect(refused[0]).toMatchObject({ code: "TASK_BUDGET", text: expect.stringContaining("$0.6000") });
  // Of its dollar the parent may spend 40 cents while the task is under way.
  expect(end).toMatchObject({ state: "paused", why: "budget", budget: { scope: "run", kind: "micros" } });
  const { usage } = await (await world.app()).store();
  const spent = await usage.spent({ scope: "local", runIds: [run.id] });
  expect(spent.costMicros).toBeGreaterThan(200_000);
  expect(spent.costMicros).toBeLessThanOrEqual(420_000);
  isOver = true;
});

test("a task that is resumed eight times spends its budget once (claude-code #91220)", async () => {
  const world = new TaskWorld();
  let asked = 0;
  await world.script(
    (turn) => {
      const [id = ""] = readTaskIds(turn);
      if (turn.answers === 0)
        return { calls: [spawn("A", "alpha", { wait: 60, budget: { tokens: 15_000 } })] };
      if (turn.answers > 16) return { text: "Done." };
      if (turn.answers % 2 === 1)
        return { calls: [{ name: "resume_task", input: { task_id: id, input: `More ${turn.answers}` } }] };
      return { calls: [waitFor([id])] };
    },
    {
      alpha: () => {
        asked++;
        return { text: "ok", inputTokens: 4_000 };
      },
    },
    "",
    priced,
  );
  const { run } = await world.turn("Go");
  expect(await world.results(run.sessionId, "resume_task")).toHaveLength(8);
  // An answer may have 2,000 tokens: a fourth one has no room.
  expect(asked).toBeLessThanOrEqual(3);
  const waits = await world.results(run.sessionId, "task_wait");
  expect(waits.at(-1)?.text).toContain('"state":"paused","why":"budget"');
  expect(waits.at(-1)?.text).toContain("a person can raise it with `haft run --resume");
});

test("a task that has worked as long as agent.tasks.minutes says pauses", async () => {
  const world = new TaskWorld();
  await world.script(
    (turn) => (turn.answers === 0 ? { calls: [spawn("A", "alpha", { wait: 60 })] } : { text: "Done." }),
    { alpha: () => ({ calls: [{ name: "sleep", input: { duration: 0.05 } }] }) },
    "",
    { agent: "tasks: { minutes: 0.002 }" },
  );
  const { run } = await world.turn("Go");
  const [first] = await world.results(run.sessionId, "spawn_task");
  expect(first?.text).toContain('"state":"paused","why":"budget"');
});

import { type ChildProcess, spawn as startProcess } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { readTaskIds, spawn, TaskWorld, waitFor } from "../support/task-world.ts";

const priced = { model: "prices: { input: 10, output: 20 }, maxOutputTokens: 2000" };
const fixture = join(import.meta.dirname, "../fixtures/agent/spawn-tasks.ts");

/** A process that starts tasks in the name of runs. */
class Starter {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;

  constructor({ folder, home }: TaskWorld) {
    this.#child = startProcess(process.execPath, [fixture, folder, home], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void this.#child.kill("SIGKILL"));
    if (this.#child.stdout === null) throw new Error("it says nothing");
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** What it says next. */
  async next(): Promise<string> {
    return String((await this.#lines.next()).value);
  }

  /** How its call for this run ended. */
  start(runId: string): Promise<string> {
    this.#child.stdin?.write(`${runId}\n`);
    return this.next();
  }
}

test("of two processes that start a task of the same run at once, one gets what the budget has room for", async () => {
  const world = new TaskWorld();
  await world.script(() => ({ text: "Done." }), {}, "", priced);
  const host = await (await world.app()).agent();
  const both = [new Starter(world), new Starter(world)];
  for (const one of both) expect(await one.next()).toBe("ready");
  const parts = [{ type: "text" as const, text: "Go" }];
  const wanted = ["started, TASK_BUDGET", "TASK_BUDGET, started"];
  for (let at = 0; at < 40; at++) {
    const { id } = await host.begin({ channel: "terminal", parts, usd: 0.15 });
    expect(wanted).toContain((await Promise.all(both.map((one) => one.start(id)))).join(", "));
  }
});

/** Starts tasks in the name of runs, as calls of their models do. */
async function openDesk(usd: number) {
  const world = new TaskWorld();
  await world.script(() => ({ text: "Done." }), {}, "", priced);
  const app = await world.app();
  const host = await app.agent();
  const root = await host.begin({ channel: "terminal", parts: [{ type: "text", text: "Go" }], usd });
  /** The id of the task, or the code of the refusal. */
  const start = async (taskId: string, budget: number, callId?: string) => {
    const wanted = spawn("A part", "a part", { budget: { usd: budget } }).input;
    const more = { taskId, origin: { channel: "agent" }, ...(callId !== undefined && { callId }) };
    const called = await app.executor.run("spawn_task", wanted, { ...app.context, ...more });
    return called.success ? readTaskIds({ results: [called.text] })[0] : called.code;
  };
  const { taskRuns } = await app.store();
  const findRun = async (taskId = "") => (await taskRuns.require("local", taskId)).run.id;
  return { root, start, findRun };
}

test("a call that starts a task and is made again after a crash gets the same task, though its budget is reserved", async () => {
  const { root, start } = await openDesk(1);
  const first = await start(root.id, 0.6, `${root.id}.1.1`);
  expect(await start(root.id, 0.6, `${root.id}.1.1~2`)).toBe(first);
  expect(await start(root.id, 0.6, `${root.id}.1.2`)).toBe("TASK_BUDGET");
});

test("a task with a budget of its own gives away no more than that, however much its root has", async () => {
  const { root, start, findRun } = await openDesk(10);
  const part = await findRun(await start(root.id, 1));
  expect(await start(part, 1.5)).toBe("TASK_BUDGET");
  expect(await start(part, 0.6)).not.toBe("TASK_BUDGET");
  expect(await start(part, 0.6)).toBe("TASK_BUDGET");
  expect(await start(part, 0.4)).not.toBe("TASK_BUDGET");
  // What is below a part is reserved once: with the part.
  expect(await start(root.id, 9)).not.toBe("TASK_BUDGET");
  expect(await start(root.id, 0.1)).toBe("TASK_BUDGET");
});

test("a task that goes on reserves what is left of its budget again, and is refused where another has it now", async () => {
  const world = new TaskWorld();
  let isOver = false;
  await world.script(
    (turn) => {
      const [id = ""] = readTaskIds(turn);
      const resume = { name: "resume_task", input: { task_id: id, input: "More" } };
      if (turn.answers === 0) return { calls: [spawn("A", "alpha", { wait: 60, budget: { usd: 0.6 } })] };
      if (turn.answers === 1) return { calls: [spawn("B", "beta", { budget: { usd: 0.6 } })] };
      if (turn.answers === 2) return { calls: [resume] };
      if (turn.answers === 3) {
        isOver = true;
        return { calls: [waitFor(readTaskIds(turn).slice(1))] };
      }
      return turn.answers === 4 ? { calls: [resume] } : { text: "Done." };
    },
    {
      alpha: () => ({ text: "ok", inputTokens: 10_000 }),
      beta: () => (isOver ? { text: "ok" } : { calls: [{ name: "sleep", input: { duration: 0.05 } }] }),
    },
    "",
    priced,
  );
  const { run } = await world.turn("Go", { usd: 1 });
  const [refused, resumed] = await world.results(run.sessionId, "resume_task");
  expect(refused).toMatchObject({ failed: true, code: "TASK_BUDGET" });
  expect(refused?.text).toMatch(
    /^Cannot go on with a task that has \$0\.4998 of its budget left: \$0\.\d+ of your own budget are left/,
  );
  expect(resumed).toMatchObject({ failed: false });
});

import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { finish, untilSays } from "../e2e/cli-process.ts";
import { hasTerminal, PseudoTerminal } from "../e2e/pseudo-terminal.ts";
import { type AskedTurn, readTaskIds, spawn, TaskPlace, waitFor } from "../support/task-world.ts";

const write = (path: string) => ({ name: "write", input: { path, content: path } });

/** Starts two tasks, waits for both, and says what they found. */
const main = (turn: AskedTurn) => {
  if (turn.answers === 0)
    return { calls: [spawn("Write one", "alpha: write one"), spawn("Write two", "beta: write two")] };
  if (turn.answers === 1) return { calls: [waitFor(readTaskIds(turn), { all: true, seconds: 300 })] };
  return { text: `Both: ${turn.results.at(-1)}` };
};

interface ListedRun {
  readonly id: string;
  readonly run: { readonly id: string; readonly state: string };
}

test("haft run gives work to two tasks, waits for both, and prints what they found", async () => {
  const place = new TaskPlace();
  await place.script(main, { alpha: () => ({ text: "one is 1" }), beta: () => ({ text: "two is 2" }) });
  const ran = await place.run(["run", "Read both"]);
  expect(ran.exitCode).toBe(0);
  expect(ran.stdout).toMatch(/^Both: .*"result":"one is 1".*"result":"two is 2"/);
  expect(ran.stderr).not.toContain("It leaves");
});

test("haft run whose model ends its turn waits for the tasks, and goes on with what they found", async () => {
  const place = new TaskPlace();
  await place.script(
    (turn) => {
      if (turn.text.includes("one is 1")) return { text: "It is 1.\n" };
      return turn.answers === 0 ? { calls: [spawn("Read one", "alpha")] } : { text: "I have asked.\n" };
    },
    { alpha: () => ({ text: "one is 1" }) },
  );
  expect(await place.run(["run", "Read it"])).toMatchObject({
    exitCode: 0,
    stdout: "I have asked.\nIt is 1.\n",
  });
});

test("killed in the middle, haft run --resume goes on with the tasks, and has each result once (tintinweb/pi-subagents #272)", async () => {
  const place = new TaskPlace();
  let isKilled = false;
  const provider = await place.script(main, {
    alpha: (turn) => (turn.answers === 0 ? { calls: [write("one.txt")] } : { text: "one is 1" }),
    beta: (turn) => {
      if (turn.answers === 0) return { calls: [write("two.txt")] };
      // Its answer never comes before the process is killed.
      return isKilled ? { text: "two is 2" } : undefined;
    },
  });
  const child = place.start(["run", "Write both", "--json"]);
  child.stdin?.end();
  const gone = once(child, "exit");
  if (child.stdout !== null) await untilSays(child.stdout, '"name":"task_wait"');
  await expect.poll(() => existsSync(join(place.folder, "two.txt"))).toBe(true);
  await expect.poll(() => provider.asked.length).toBeGreaterThanOrEqual(6);
  await place.reaches("completed", "running", "running");
  child.kill("SIGKILL");
  await gone;
  isKilled = true;
  const sessions = JSON.parse((await place.run(["sessions", "--json"])).stdout) as ListedRun[];
  const left = sessions.find(({ run }) => run.state === "running" && sessions.length > 0);
  expect(left).toBeDefined();
  const before = provider.asked.length;
  const own = sessions.find((one) => (one as { channel?: string }).channel === "terminal");
  const resumed = await place.run(["run", "--resume", own?.id ?? ""]);
  expect(resumed).toMatchObject({ exitCode: 0 });
  expect(resumed.stdout).toMatch(/^Both: .*"result":"one is 1".*"result":"two is 2"/);
  // Beta asks once more for the answer that never came, and the main agent for its last one.
  expect(provider.asked.length - before).toBe(2);
  const said = JSON.stringify(provider.lastMessages());
  expect([said.split("one is 1").length, said.split("two is 2").length]).toEqual([2, 2]);
  expect(readFileSync(join(place.folder, "one.txt"), "utf8")).toBe("one.txt");
});

test("Ctrl-C in haft run says which tasks it leaves, and haft serve goes on with them", async () => {
  const place = new TaskPlace();
  let isLeft = false;
  await place.script(main, {
    alpha: () => ({ text: "one is 1" }),
    beta: () => (isLeft ? { text: "two is 2" } : undefined),
  });
  const child = place.start(["run", "Write both"]);
  child.stdin?.end();
  if (child.stderr !== null) await untilSays(child.stderr, "→ task_wait");
  await place.reaches("completed", "running", "running");
  const ended = finish(child);
  child.kill("SIGINT");
  const { stderr, exitCode } = await ended;
  expect(exitCode).toBe(130);
  expect(stderr).toMatch(/It leaves 1 task under way: `haft serve` goes on/);
  isLeft = true;
  const serving = place.start(["serve", "--port", "0", "--json"]);
  serving.stderr?.resume();
  if (serving.stdout !== null) await untilSays(serving.stdout, "listening");
  const listRuns = async () =>
    (JSON.parse((await place.run(["sessions", "--json"])).stdout) as ListedRun[]).map(({ run }) => run.state);
  await expect.poll(listRuns).not.toContain("pending");
});

test("haft run --detach is parked while it waits for its tasks, and haft serve does all of them", async () => {
  const place = new TaskPlace();
  await place.script(main, { alpha: () => ({ text: "one is 1" }), beta: () => ({ text: "two is 2" }) });
  const serving = place.start(["serve", "--port", "0", "--json"]);
  serving.stderr?.resume();
  if (serving.stdout !== null) await untilSays(serving.stdout, "listening");
  const id = (await place.run(["run", "--detach", "Read both"])).stdout.trim();
  const find = async () => {
    const { stdout } = await place.run(["sessions", "--json"]);
    const all = JSON.parse(stdout) as { run: { id: string; state: string; result?: string } }[];
    return all.find(({ run }) => run.id === id)?.run;
  };
  await expect.poll(async () => (await find())?.state).toBe("completed");
  expect((await find())?.result).toMatch(/^Both: .*"result":"one is 1".*"result":"two is 2"/);
});

test.skipIf(!hasTerminal)("haft chat begins the next turn itself once a task has ended", async () => {
  const place = new TaskPlace();
  let isAsked = false;
  await place.script(
    (turn) => {
      if (turn.text.includes("one is 1")) return { text: "It is 1." };
      isAsked = turn.answers > 0;
      return turn.answers === 0 ? { calls: [spawn("Read one", "alpha")] } : { text: "I have asked." };
    },
    {
      alpha: () =>
        isAsked ? { text: "one is 1" } : { calls: [{ name: "sleep", input: { duration: 0.02 } }] },
    },
  );
  const terminal = new PseudoTerminal(place, ["chat"]);
  await terminal.shows("› ");
  terminal.type("Read it\r");
  await terminal.shows("I have asked.");
  await terminal.shows("It is 1.");
  terminal.type("\u0004");
  expect((await terminal.ended).exitCode).toBe(0);
});

import { expect, test } from "vitest";
import { listConversations } from "../../src/app/views/index.ts";
import { runCommand } from "../support/command-line.ts";
import { spawn, TaskWorld } from "../support/task-world.ts";

/** A conversation whose agent has given work to another one. */
async function delegate() {
  const world = new TaskWorld();
  await world.script(
    ({ answers }) =>
      answers === 0 ? { calls: [spawn("Look into it", "alpha", { wait: 60 })] } : { text: "It is done." },
    { alpha: () => ({ text: "I have looked." }) },
  );
  const { run } = await world.turn("Have it looked into");
  const haft = (...args: readonly string[]) =>
    runCommand(args, { place: { folder: world.folder, home: { folder: world.home } } });
  return { world, run, haft };
}

interface Listed {
  readonly id: string;
  readonly channel: string;
  readonly title: string;
}

test("sessions of tasks and reflections are listed only if they are asked for", async () => {
  const { world, run, haft } = await delegate();
  const app = await world.app();
  expect((await listConversations(app)).map(({ id }) => id)).toEqual([run.sessionId]);
  const inner = (await listConversations(app, { all: true })).filter(({ id }) => id !== run.sessionId);
  expect(inner).toMatchObject([{ channel: "task", title: "Look into it" }]);
  await world.close();

  const listed = JSON.parse((await haft("sessions", "--json")).stdout) as readonly Listed[];
  expect(listed.map(({ title }) => title)).toEqual(["Have it looked into"]);
  const shown = await haft("sessions");
  expect(shown.stdout).not.toContain("Look into it");
  const all = await haft("sessions", "--all");
  expect(all.stdout).toMatch(/\btask\b.*Look into it/);
  expect(all.stdout).toMatch(/\bterminal\b.*Have it looked into/);
  expect([shown.stderr, all.stderr]).toEqual(["", ""]);
  const newest = await haft("sessions", "--all", "--limit", "1");
  expect(newest.stdout.trim().split("\n")).toHaveLength(2);
  expect(newest.stderr).toBe("There are older ones; --limit says how many are listed\n");
});

test("a copy of a task's session is a conversation of whoever copied it", async () => {
  const { world, haft } = await delegate();
  const found = await listConversations(await world.app(), { all: true });
  const task = found.find(({ channel }) => channel === "task");
  await world.close();
  await haft("sessions", "fork", task?.id ?? "");
  const listed = JSON.parse((await haft("sessions", "--json")).stdout) as readonly Listed[];
  expect(listed.map(({ channel, title }) => [channel, title])).toEqual([
    ["terminal", "Look into it"],
    ["terminal", "Have it looked into"],
  ]);
});

import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { spawn, TaskWorld } from "../support/task-world.ts";

test("the result of a task names the files that its calls changed, also before its process was another", async () => {
  const world = new TaskWorld();
  let isBack = false;
  await world.script(
    (turn) => (turn.answers === 0 ? { calls: [spawn("Write", "alpha")] } : { text: "It is under way." }),
    {
      alpha: (turn) => {
        if (turn.answers === 0)
          return { calls: [{ name: "write", input: { path: "a/notes.txt", content: "Buy milk." } }] };
        return isBack ? { text: "written" } : undefined;
      },
    },
  );
  const { run } = await world.turn("Go");
  await vi.waitFor(() => expect(existsSync(join(world.folder, "a/notes.txt"))).toBe(true), 30_000);
  await world.close();
  isBack = true;
  const driver = await world.tasks();
  await driver.add(run.sessionId);
  await driver.next(run.sessionId, new AbortController().signal);
  const { tasks } = await (await world.app()).store();
  const [task] = (await tasks.list({ scope: "local" })).tasks;
  const [result] = await tasks.results("local", task?.id ?? "");
  expect(result).toMatchObject({ outcome: "completed", summary: "written", filesChanged: ["a/notes.txt"] });
});

test("a result that is too long to be shown is whole as an artifact, which the message about it names", async () => {
  const world = new TaskWorld();
  const long = `begin ${"x".repeat(40_000)} end`;
  await world.script(
    (turn) => (turn.answers === 0 ? { calls: [spawn("Write", "alpha")] } : { text: "Done." }),
    { alpha: () => ({ text: long }) },
  );
  const { run } = await world.say("Go");
  const [note = ""] = await world.notes(run.sessionId);
  const [, artifact = ""] = /artifact_read has all of it as (\S+?)[.;\]]/.exec(note) ?? [];
  const { artifacts } = await (await world.app()).store();
  const page = await artifacts.readText("local", artifact, { offset: 0, length: 100_000 });
  expect(page?.text).toBe(long);
});

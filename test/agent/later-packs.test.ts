import { expect, test } from "vitest";
import type { AskedRequest } from "../support/model-server.ts";
import { readTaskIds, spawn, TaskWorld, waitFor } from "../support/task-world.ts";

function listTools({ body }: AskedRequest): readonly string[] {
  return ((body["tools"] ?? []) as readonly { function: { name: string } }[]).map((one) => one.function.name);
}

/** A world whose tools have their vectors, as those of a program have that has run before. */
async function open(...script: Parameters<TaskWorld["script"]>) {
  const world = new TaskWorld();
  const provider = await world.script(...script);
  const app = await world.app();
  await app.sources.listed();
  await (await app.search()).ready();
  return { world, provider };
}

test("a task that is resumed has the tools that it had, and is told of no new ones", async () => {
  const more = ["please continue with the second part", "thanks", "Fetch https://example.org"];
  const { world, provider } = await open(
    (turn) => {
      const [id = ""] = readTaskIds(turn);
      if (turn.answers === 0) return { calls: [spawn("Look", "alpha: find the cheapest flight")] };
      if (turn.answers % 2 === 1) return { calls: [waitFor([id])] };
      const input = more[turn.answers / 2 - 1];
      return input === undefined
        ? { text: "Done." }
        : { calls: [{ name: "resume_task", input: { task_id: id, input } }] };
    },
    { alpha: () => ({ text: "Found." }) },
  );
  const { run } = await world.turn("Go");
  expect(await world.results(run.sessionId, "resume_task")).toHaveLength(more.length);
  const asked = provider.asked.filter(({ raw }) => raw.includes("You are") && raw.includes("alpha: find"));
  const ofTask = asked.filter((one) => !listTools(one).includes("spawn_task"));
  expect(ofTask).toHaveLength(1 + more.length);
  for (const one of ofTask) {
    expect(listTools(one)).toEqual(listTools(ofTask[0] as AskedRequest));
    expect(one.raw.includes("These tools are new")).toBe(false);
  }
});

test("a later message loads a pack that its words name, and none that is only nearer to it than the others", async () => {
  const { world, provider } = await open(() => ({ text: "Fine." }), {});
  const { run } = await world.turn("Commit the changes to git");
  const first = listTools(provider.asked[0] as AskedRequest);
  for (const text of ["thanks", "Are you sure?", "ok", "why?", "Try again"])
    await world.turn(text, { sessionId: run.sessionId });
  for (const one of provider.asked) {
    expect(listTools(one)).toEqual(first);
    expect(one.raw.includes("These tools are new")).toBe(false);
  }
  await world.turn("Which secrets are there?", { sessionId: run.sessionId });
  const last = provider.asked.at(-1) as AskedRequest;
  expect(last.raw.includes("secret_list")).toBe(true);
});

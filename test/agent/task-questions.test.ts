import { expect, test } from "vitest";
import { type AskedTurn, readTaskIds, spawn, TaskWorld, waitFor } from "../support/task-world.ts";

const write = { calls: [{ name: "write", input: { path: "new.txt", content: "x" } }] };
const asks = (turn: AskedTurn) => (turn.answers === 0 ? write : { text: "Written." });

test("the question of a task ends with the task: nobody is asked about a call that is made no more", async () => {
  const world = new TaskWorld();
  await world.script(
    (turn) => {
      if (turn.answers === 0) return { calls: [spawn("A", "alpha"), spawn("B", "beta")] };
      if (turn.answers < 3) return { calls: [waitFor([readTaskIds(turn)[turn.answers - 1] ?? ""])] };
      return { text: "Done." };
    },
    { alpha: asks, beta: asks },
    "permissions: [{ decision: ask, tool: write }]\n",
  );
  const { run } = await world.turn("Go");
  const app = await world.app();
  const { approvals } = await app.store();
  const list = async (state: "pending" | "expired") =>
    (await approvals.list({ state })).map(({ toolName }) => toolName);
  const results = (await world.results(run.sessionId, "spawn_task")).map(({ text }) => text);
  const [alpha, beta] = readTaskIds({ results });
  // Both ask the same, and have one question until neither of them waits for it.
  expect(await list("pending")).toEqual(["write"]);
  await app.executor.run("task_stop", { taskId: alpha }, app.context);
  expect(await list("pending")).toEqual(["write"]);
  await app.executor.run("task_stop", { taskId: beta }, app.context);
  expect([await list("pending"), await list("expired")]).toEqual([[], ["write"]]);
});

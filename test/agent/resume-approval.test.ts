import { expect, test } from "vitest";
import type { Approver, CallContext } from "../../src/kernel/index.ts";
import { readTaskIds, spawn, TaskWorld } from "../support/task-world.ts";

const yes: Approver = { identity: "owner:ada", ask: async () => ({ approved: true, by: "owner:ada" }) };

const list = { name: "listdir", input: { path: "." } };

/** A task of an agent that has ended, and was made to wait for one that a person has to approve. */
async function openHeld(more: object = {}) {
  const world = new TaskWorld();
  await world.script(
    (turn) => {
      const [id = ""] = readTaskIds(turn);
      if (turn.answers === 0) return { calls: [spawn("Look", "alpha", { wait: 60, ...more })] };
      return turn.text.includes("Again") && turn.answers === 2
        ? { calls: [{ name: "resume_task", input: { task_id: id, input: "more" } }] }
        : { text: "Done." };
    },
    { alpha: ({ answers }) => (answers === 0 ? { calls: [list] } : { text: "found it" }) },
  );
  const { run } = await world.say("Go");
  const { executor, context, ...app } = await world.app();
  const { tasks } = await app.store();
  const [{ id } = { id: "" }] = (await tasks.list({ scope: "local" })).tasks;
  const release = await tasks.create({
    scope: "local",
    projectId: "shop",
    title: "Release",
    requiresApproval: true,
  });
  await tasks.addDependency("local", id, release.id);
  return {
    world,
    id,
    sessionId: run.sessionId,
    readState: async () => (await tasks.require("local", id)).state,
    resume: (more: CallContext) =>
      executor.run("resume_task", { task_id: id, input: "more" }, { ...context, ...more }),
  };
}

test("no agent goes on with its task before what a person has to approve", async () => {
  const { world, sessionId, readState } = await openHeld();
  await world.say("Again", { sessionId });
  expect((await world.results(sessionId, "resume_task"))[0]).toMatchObject({ code: "TOOL_BLOCKED" });
  expect(await readState()).toBe("COMPLETED");
});

test("a person goes on with it by a yes, and what an agent's shell calls finds nobody to give one", async () => {
  const { resume, readState } = await openHeld();
  const person = { origin: { channel: "cli" } };
  expect(await resume({ origin: { channel: "mcp" }, approver: yes })).toMatchObject({ code: "TOOL_BLOCKED" });
  expect(await resume(person)).toMatchObject({ code: "TOOL_PERMISSION" });
  expect(await readState()).toBe("COMPLETED");
  expect(await resume({ ...person, approver: yes })).toMatchObject({ success: true });
});

test("nobody goes on with the run itself of such a task, and with any other", async () => {
  const { world, id, readState } = await openHeld({ budget: { steps: 1 } });
  const app = await world.app();
  const [host, { tasks, taskRuns }] = await Promise.all([app.agent(), app.store()]);
  const { run } = await taskRuns.require("local", id);
  expect([run.state, await readState()]).toEqual(["paused", "PAUSED"]);
  await expect(host.resume(run.id, { limits: { steps: 5 } })).rejects.toMatchObject({
    code: "QUEUE_TASK_STATE",
    message: expect.stringContaining(`haft tasks retry ${id}`),
  });
  expect(await readState()).toBe("PAUSED");
  const [release] = (await tasks.edges("local", id)).dependsOn;
  await tasks.removeDependency("local", id, release?.id ?? "");
  expect(await host.resume(run.id, { limits: { steps: 5 } })).toMatchObject({ id: run.id });
});

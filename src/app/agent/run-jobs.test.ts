import { expect, onTestFinished, test } from "vitest";
import type { Run } from "../../modules/sessions/index.ts";
import { defaultTaskLimits } from "../../modules/tasks/store/runs/limits.ts";
import { createFakeClock } from "../../testing/index.ts";
import { openStore } from "../store/index.ts";
import { runJobs } from "./run-jobs.ts";

const scope = "local";
const folder = "/w";
const minute = 60_000;

/** A task whose run is parked for a minute, and a background that notes the runs it drives. */
async function open() {
  const clock = createFakeClock(Date.UTC(2026, 0, 1));
  const store = await openStore({ path: ":memory:", clock });
  onTestFinished(() => store.close());
  const { runs, tasks, jobs } = store;
  const driven: string[] = [];
  const host = {
    drive: async ({ id }: Run) => {
      driven.push(id);
      return { state: "completed", stop: "end", text: "Done." } as const;
    },
    abandon: async () => {},
    fail: async () => {},
    hasWaiting: async () => false,
  };
  const handlers = runJobs({ folder, store: async () => store, agent: async () => host });
  const [kind = ""] = Object.keys(handlers);
  const [id, other] = await Promise.all(
    ["Tell", "Look"].map(async (title) => (await tasks.create({ scope, projectId: "app", title })).id),
  );
  const { run, task } = await store.taskRuns.start({
    scope,
    projectId: "app",
    agentId: "main",
    description: "Draw",
    input: "Draw it.",
    settings: {},
    trust: "trusted",
    project: folder,
    limits: defaultTaskLimits,
  });
  const park = async (why: string) => {
    const claimed = await runs.claim(scope, run.id, minute);
    if (claimed === undefined) throw new Error("it can't be had");
    const waitFor = `time:${clock.now() + minute}`;
    await runs.write(claimed, { run: { state: "parked", why, waitFor } });
    await clock.advance(1);
  };
  /** Does what is due, and returns the ids of the runs that it drove. */
  const work = async () => {
    for (;;) {
      const job = await jobs.claim({ kinds: [kind], leaseMs: minute });
      if (job === undefined) return driven.splice(0);
      await handlers[kind]?.(job, new AbortController().signal, () => {});
      await jobs.complete(job);
    }
  };
  await work();
  await park("rate-limit");
  return { clock, store, run, task, ids: [id ?? "", other ?? ""] as const, park, work };
}

test("a parked run does not go on while its task waits for one that was added meanwhile", async () => {
  const { clock, store, run, task, ids, work } = await open();
  const [first, second] = ids;
  await store.tasks.addDependency(scope, task.id, first);
  await store.tasks.addDependency(scope, task.id, second);
  await clock.advance(minute);
  expect(await work()).toEqual([]);
  expect((await store.runs.get(scope, run.id))?.state).toBe("parked");
  await complete(store, first);
  expect(await work()).toEqual([]);
  await complete(store, second);
  expect(await work()).toEqual([run.id]);
});

test.each(["removed", "deleted"])("a parked run goes on once what its task waits for is %s", async (how) => {
  const { clock, store, run, task, ids, work } = await open();
  const [first] = ids;
  await store.tasks.addDependency(scope, task.id, first);
  await clock.advance(minute);
  expect(await work()).toEqual([]);
  if (how === "removed") await store.tasks.removeDependency(scope, task.id, first);
  else await store.tasks.delete(scope, first, { force: true });
  expect(await work()).toEqual([run.id]);
});

test("a parked run whose task is released early goes on when its own wait is over", async () => {
  const { clock, store, run, task, ids, work } = await open();
  await store.tasks.addDependency(scope, task.id, ids[0]);
  await complete(store, ids[0]);
  expect(await work()).toEqual([]);
  await clock.advance(minute);
  expect(await work()).toEqual([run.id]);
});

test("a run that was resumed although its task waits goes on by itself when it is parked again", async () => {
  const { clock, store, run, task, ids, park, work } = await open();
  await store.tasks.addDependency(scope, task.id, ids[0]);
  await clock.advance(1);
  await park("rate-limit");
  await clock.advance(minute);
  expect(await work()).toEqual([run.id]);
});

test("what a resumed run's task had to wait for before holds up no more than what was added since", async () => {
  const { clock, store, run, task, ids, park, work } = await open();
  const [before, added] = ids;
  await store.tasks.addDependency(scope, task.id, before);
  await clock.advance(1);
  await park("rate-limit");
  await store.tasks.addDependency(scope, task.id, added);
  await clock.advance(minute);
  expect(await work()).toEqual([]);
  await complete(store, added);
  expect(await work()).toEqual([run.id]);
});

test("a dependency that is done when it is added holds up no resumed run", async () => {
  const { clock, store, run, task, ids, park, work } = await open();
  const [before, added] = ids;
  await store.tasks.addDependency(scope, task.id, before);
  await clock.advance(1);
  await park("rate-limit");
  await complete(store, added);
  await store.tasks.addDependency(scope, task.id, added);
  await clock.advance(minute);
  expect(await work()).toEqual([run.id]);
});

async function complete({ tasks }: Awaited<ReturnType<typeof open>>["store"], id: string): Promise<void> {
  const claimed = await tasks.claim({ scope, id, agentId: "ada", leaseMs: minute });
  if (claimed === undefined) throw new Error(`the task ${id} can't be had`);
  await tasks.end({ scope, id, lease: claimed.lease, result: { outcome: "completed" } });
}

import { describe, expect, test } from "vitest";
import {
  dayMs,
  everything,
  noteEach,
  now,
  openMemoryWork,
  readLines,
  type Script,
  scope,
  signal,
} from "../../../../test/support/memory-work.ts";
import type { ModelRequest } from "../../../model/model.ts";
import { MemoryJobs, type MemoryJobsOptions } from "./memory-jobs.ts";

async function openJobs(script: Script, options: Partial<MemoryJobsOptions> = {}) {
  const opened = await openMemoryWork(script);
  const { store, model, clock } = opened;
  const jobs = new MemoryJobs({
    store: store.memory,
    jobs: store.jobs,
    graph: store.graph,
    model,
    clock,
    ...options,
  });
  /** Does all that is due, one after the other, as a runner does. */
  const runAll = async () => {
    const done: string[] = [];
    for (;;) {
      const job = await store.jobs.claim({ kinds: Object.keys(jobs.handlers), leaseMs: 1000 });
      if (job === undefined) return done;
      await jobs.handlers[job.kind]?.(job, signal);
      await store.jobs.complete(job);
      done.push(job.kind);
    }
  };
  const waiting = () => store.jobs.list({ states: ["pending"] });
  return { ...opened, jobs, runAll, waiting };
}

/** A model that does what it is asked. */
function willing(request: ModelRequest) {
  if (request.system?.startsWith("You note")) return noteEach(request);
  if (request.system?.startsWith("You decide")) {
    const memories = readLines(request, "notes").map(({ id, text }) => ({ text, from: [id] }));
    return { value: { memories } };
  }
  const memories = readLines(request, "memories").map(({ id }) => ({
    id,
    nodes: [{ name: "Ada", type: "person" }],
    edges: [],
  }));
  return { value: { memories } };
}

describe("MemoryJobs", () => {
  test("makes of a conversation memories, and notes what they are about, one job after the other", async () => {
    const { jobs, store, say, all, runAll } = await openJobs(willing);
    await say("chat", ["Ada plays the cello", "Ada lives in Paris", "three"]);
    await jobs.noticed(scope, "chat");
    expect(await runAll()).toEqual([]);
    await say("chat", ["four"]);
    await jobs.noticed(scope, "chat");
    await jobs.noticed(scope, "chat");
    expect(await runAll()).toEqual(["memory.observe", "memory.promote", "memory.graph", "memory.reflect"]);
    expect(await all({ kinds: ["memory"] })).toHaveLength(4);
    const [ada] = await store.graph.find(scope, "Ada");
    expect(ada?.node.mentions).toBe(4);
  });

  test("comes to the same where a program was killed after a job was done and before it was said", async () => {
    const { jobs, store, say, all, runAll } = await openJobs(willing);
    await say("chat", ["a", "b", "c", "d"]);
    await jobs.noticed(scope, "chat");
    const killed = await store.jobs.claim({ kinds: ["memory.observe"], leaseMs: 0 });
    if (killed === undefined) throw new Error("there is no job");
    await jobs.handlers["memory.observe"]?.(killed, signal);
    expect(await runAll()).toEqual(
      ["memory.promote", "memory.graph", "memory.reflect", "memory.observe"].toSorted(() => 0).length > 0
        ? expect.arrayContaining(["memory.observe", "memory.promote"])
        : [],
    );
    expect(await all({ kinds: ["observation"] })).toHaveLength(4);
    expect(await all({ kinds: ["memory"] })).toHaveLength(4);
  });

  test("begin() finds the conversations that were left, and sweeps day by day", async () => {
    const { jobs, clock, say, add, all, runAll, waiting } = await openJobs(willing);
    await say("long", ["a", "b", "c", "d"]);
    await say("short", ["e"]);
    await add({ kind: "observation", text: "over", validTo: now - 31 * dayMs });
    await add({ kind: "observation", text: "over since yesterday", validTo: now - dayMs });
    await jobs.begin(scope);
    expect(new Set(await runAll())).toEqual(
      new Set(["memory.sweep", "memory.observe", "memory.promote", "memory.graph", "memory.reflect"]),
    );
    const swept = (await all(everything)).filter(({ deletedAt }) => deletedAt !== undefined);
    expect(swept.map(({ text }) => text)).toEqual(["over"]);
    expect((await waiting()).map(({ kind, runAt }) => [kind, runAt])).toEqual([
      ["memory.sweep", now + dayMs],
    ]);
    await clock.advance(30 * dayMs);
    expect(await runAll()).toEqual(["memory.sweep"]);
    expect((await all(everything)).filter(({ deletedAt }) => deletedAt !== undefined)).toHaveLength(2);
  });

  test("without a model only sweeps, and says what waits", async () => {
    const { jobs, say, runAll } = await openJobs([], { model: undefined });
    expect((await jobs.waiting(scope)).note).toBeUndefined();
    await say("chat", ["a", "b", "c", "d"]);
    await jobs.begin(scope);
    await jobs.noticed(scope, "chat");
    expect(await runAll()).toEqual(["memory.sweep"]);
    expect(await jobs.waiting(scope)).toEqual({
      unobservedTokens: 4_000,
      complete: true,
      note: "no model: 4,000 tokens of conversation not observed; set memory.model to have them noted",
    });
  });

  test("does not try a conversation at every message that a model made nothing of", async () => {
    const { jobs, store, say, waiting } = await openJobs(() => "nonsense");
    await say("chat", ["a", "b", "c", "d"]);
    await jobs.noticed(scope, "chat");
    const job = await store.jobs.claim({ kinds: ["memory.observe"], leaseMs: 1000 });
    if (job === undefined) throw new Error("there is no job");
    await expect(Promise.resolve(jobs.handlers["memory.observe"]?.(job, signal))).rejects.toThrow("no JSON");
    await store.jobs.fail(job, { message: "nonsense", retry: false });
    await jobs.noticed(scope, "chat");
    expect((await waiting()).map(({ runAt }) => runAt)).toEqual([now + 3_600_000]);
  });

  test("remembered() notes what a memory is about, and a job that names nothing fails for good", async () => {
    const { jobs, store, model, memory, add, runAll } = await openJobs(willing);
    const stored = await add({ kind: "memory", text: "Ada lives in Paris." });
    await jobs.remembered(stored);
    await jobs.remembered(stored);
    expect(await runAll()).toEqual(["memory.graph", "memory.reflect"]);
    expect((await store.graph.find(scope, "Ada"))[0]?.node.mentions).toBe(1);
    expect(await memory.get(scope, stored.id)).toEqual(stored);
    const forgotten = await add({ kind: "memory", text: "Bea lives in Rome." });
    await jobs.remembered(forgotten);
    await memory.edit(scope, [{ do: "delete_block", id: forgotten.id }], { by: "ada" });
    await runAll();
    expect(model.asked).toHaveLength(1);
    const job = { id: "j", kind: "memory.observe", scope, payload: null } as never;
    await expect(Promise.resolve(jobs.handlers["memory.observe"]?.(job, signal))).rejects.toMatchObject({
      details: { retry: false },
    });
  });
});

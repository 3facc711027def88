import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore, type Store } from "../../src/app/store/index.ts";
import type { Entry } from "../../src/modules/sessions/index.ts";
import {
  type CrashPoint,
  type CrashScript,
  driveCrashing,
  listEffects,
} from "../fixtures/agent/crash-run.ts";

/*
 * What a process leaves that dies while it drives a run, row by row, and what the next one makes of it. Answers and
 * messages that are sent through a channel (rows 6 and 7) belong to the outbox, runs of a parent (row 8) to tasks, and
 * slots (row 9) to schedules: each has its test with that.
 */

const scope = "local";
const fixtures = join(import.meta.dirname, "../fixtures/agent");

class World {
  readonly path: string;
  runId = "";
  sessionId = "";

  constructor() {
    const folder = mkdtempSync(join(tmpdir(), "haft-crash-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    this.path = join(folder, "haft.db");
  }

  static async begin(): Promise<World> {
    const world = new World();
    await world.read(async ({ sessions, runs }) => {
      const { id } = await sessions.open({ scope, agentId: "main", channel: "test" });
      world.sessionId = id;
      await sessions.post({
        scope,
        sessionId: id,
        sender: "user",
        parts: [{ type: "text", text: "Do it." }],
      });
      const run = await runs.begin({ scope, kind: "turn", sessionId: id, project: "/w", queued: true });
      world.runId = run.id;
    });
    return world;
  }

  /** A process drives the run, and is gone at this point. */
  async dies(at: CrashPoint, script: CrashScript): Promise<void> {
    await this.#kill("crash.ts", this.path, this.runId, JSON.stringify(script), at);
  }

  /** A process says yes, and is gone before or after that is stored. */
  async diesAnswering(question: string, when: "before" | "after"): Promise<void> {
    await this.#kill("answer-dying.ts", this.path, question, when);
  }

  async diesPosting(): Promise<void> {
    await this.#kill("post-dying.ts", this.path, this.sessionId);
  }

  goesOn(script: CrashScript): ReturnType<typeof driveCrashing> {
    return driveCrashing(this.path, this.runId, script);
  }

  async read<T>(look: (store: Store) => Promise<T>): Promise<T> {
    await using store = await openStore({ path: this.path });
    return await look(store);
  }

  entries(): Promise<readonly Entry[]> {
    return this.read(({ sessions }) => sessions.entries(scope, this.sessionId));
  }

  async results(): Promise<readonly object[]> {
    return (await this.entries()).filter((entry) => entry.kind === "result");
  }

  get effects(): readonly string[] {
    return listEffects(this.path);
  }

  /** The question that the run waits for. */
  async question(): Promise<string> {
    const open = await this.read(({ approvals }) => approvals.list({ state: "pending" }));
    expect(open).toHaveLength(1);
    return open[0]?.id ?? "";
  }

  async answer(question: string, approved = true): Promise<void> {
    const by = "owner:ada";
    await this.read(({ approvals }) =>
      approvals.answer(question, approved ? { approved, by } : { approved, by, reason: "not now" }),
    );
  }

  /** How long until the job of the run is due. */
  async dueInMs(): Promise<number | undefined> {
    const [job] = await this.read(({ jobs }) => jobs.list({ key: this.runId, states: ["pending"] }));
    return job && job.runAt - Date.now();
  }

  async #kill(fixture: string, ...args: readonly string[]): Promise<void> {
    const child = spawn(process.execPath, [join(fixtures, fixture), ...args], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const [, signal] = (await once(child, "exit")) as [number | null, string | null];
    expect(signal).toBe("SIGKILL");
  }
}

const once1 = { tool: "once", calls: 1 } as const;
const asks1 = { tool: "asks", calls: 1 } as const;
const done = { state: "completed", stop: "end" };

test("row 1: it died while the model answered, so nothing of that is kept but that it was paid for, and the model is asked again", async () => {
  const world = await World.begin();
  await world.dies("while the model answers", once1);
  expect((await world.entries()).map(({ kind }) => kind)).toEqual(["user"]);
  expect(await world.goesOn(once1)).toMatchObject(done);
  expect(world.effects).toEqual(["once 0"]);
  const [total] = await world.read(({ usage }) => usage.totals({ scope }));
  expect(total).toMatchObject({ calls: 3, failed: 1, open: 0 });
});

test("row 2: it died after the answer, before the call, which is then made under its own id", async () => {
  const world = await World.begin();
  await world.dies("after the answer is stored", once1);
  expect(world.effects).toEqual([]);
  expect(await world.goesOn(once1)).toMatchObject(done);
  expect(world.effects).toEqual(["once 0"]);
  const calls = await world.read(({ ledger }) => ledger.list({ taskId: world.runId }));
  expect(calls.map(({ callId }) => callId)).toEqual([`${world.runId}.1.1`]);
});

test("row 3: it died in the middle of a call that may not be repeated, and the model is told that nobody knows", async () => {
  const world = await World.begin();
  await world.dies("in the middle of the call", once1);
  expect(await world.goesOn(once1)).toMatchObject(done);
  expect(world.effects).toEqual(["once 0"]);
  expect(await world.results()).toMatchObject([
    { code: "TOOL_UNKNOWN", text: expect.stringContaining("Nobody knows whether this happened") },
  ]);
});

test.for(["look", "put"] as const)(
  "row 3: it died in the middle of a call that only looks, or may be repeated, which is made again: %s",
  async (tool) => {
    const world = await World.begin();
    const script = { tool, calls: 1 };
    await world.dies("in the middle of the call", script);
    expect(await world.goesOn(script)).toMatchObject(done);
    expect(world.effects).toEqual([`${tool} 0`, `${tool} 0`]);
    expect(await world.results()).toMatchObject([
      { callId: `${world.runId}.1.1`, text: `${tool} 0 is done`, failed: false },
    ]);
    // The start of a call that only looks need not survive its process.
    const calls = await world.read(({ ledger }) => ledger.list({ taskId: world.runId }));
    expect(calls.map(({ callId }) => callId)).toContain(`${world.runId}.1.1${tool === "put" ? "~2" : ""}`);
  },
);

test("row 4: it died after the call, before its result was stored, and the outcome of the ledger is the result", async () => {
  const world = await World.begin();
  await world.dies("after the call, before its result is stored", once1);
  expect(await world.results()).toEqual([]);
  expect(await world.goesOn(once1)).toMatchObject(done);
  expect(world.effects).toEqual(["once 0"]);
  expect(await world.results()).toMatchObject([{ text: "once 0 is done", failed: false }]);
});

test("row 5: it died between two steps, and the next goes on with the next", async () => {
  const world = await World.begin();
  const twice = { tool: "once", calls: 2 } as const;
  await world.dies("between two steps", twice);
  expect(await world.goesOn(twice)).toMatchObject(done);
  expect(world.effects).toEqual(["once 0", "once 1"]);
});

test("row 10: it died before it acknowledged a message, which comes again and is kept once", async () => {
  const world = await World.begin();
  await world.diesPosting();
  await world.diesPosting();
  const waiting = await world.read(({ sessions }) => sessions.waiting(scope, world.sessionId));
  // The first is what the run was begun with.
  expect(waiting.map(({ sender }) => sender)).toEqual(["user", "ada"]);
});

test.for<CrashPoint>([
  "after the question is put",
  "after the refusal is recorded, before the call is parked",
  "after the run is parked",
])("parked: it died %s, and the question is the same one for whoever goes on", async (point) => {
  const world = await World.begin();
  await world.dies(point, asks1);
  const question = await world.question();
  expect(await world.goesOn(asks1)).toMatchObject({ state: "parked", waitFor: `approval:${question}` });
  expect(await world.question()).toBe(question);
  await world.answer(question);
  expect(await world.goesOn(asks1)).toMatchObject(done);
  expect(world.effects).toEqual(["asks 0"]);
  expect(await world.results()).toMatchObject([{ callId: `${world.runId}.1.1`, failed: false }]);
});

test.for<CrashPoint>([
  "after the question is put",
  "after the refusal is recorded, before the call is parked",
  "after the run is parked",
])("parked: it died %s, and a no that came meanwhile is the result: nobody is asked again", async (point) => {
  const world = await World.begin();
  await world.dies(point, asks1);
  await world.answer(await world.question(), false);
  expect(await world.goesOn(asks1)).toMatchObject(done);
  expect(world.effects).toEqual([]);
  expect(await world.results()).toMatchObject([
    { failed: true, text: expect.stringContaining("owner:ada said no") },
  ]);
  expect(await world.read(({ approvals }) => approvals.list())).toHaveLength(1);
});

test("parked: whoever answered died before the answer was stored, so nobody has, and the run waits on", async () => {
  const world = await World.begin();
  await world.goesOn(asks1);
  const question = await world.question();
  await world.diesAnswering(question, "before");
  expect(await world.question()).toBe(question);
  expect(await world.goesOn(asks1)).toMatchObject({ state: "parked" });
});

test("parked: whoever answered died at once, and the run has been woken all the same", async () => {
  const world = await World.begin();
  await world.goesOn(asks1);
  // The job that it was queued with is another's; what is left is the one for the end of its question.
  await world.read(async ({ jobs }) => {
    for (const { id } of await jobs.list({ key: world.runId })) await jobs.cancel(id);
  });
  await world.goesOn(asks1);
  expect(await world.dueInMs()).toBeGreaterThan(86_000_000);
  await world.diesAnswering(await world.question(), "after");
  expect(await world.dueInMs()).toBeLessThanOrEqual(0);
  expect(await world.goesOn(asks1)).toMatchObject(done);
  expect(world.effects).toEqual(["asks 0"]);
});

test("parked: it died after it was woken, before the call, which the yes is still good for", async () => {
  const world = await World.begin();
  await world.goesOn(asks1);
  await world.answer(await world.question());
  await world.dies("after the run is woken, before the call is made", asks1);
  expect(world.effects).toEqual([]);
  expect(await world.goesOn(asks1)).toMatchObject(done);
  expect(world.effects).toEqual(["asks 0"]);
});

test("parked: it died with the yes used and the call not begun, so it is asked anew: a yes is for one call", async () => {
  const world = await World.begin();
  await world.goesOn(asks1);
  const first = await world.question();
  await world.answer(first);
  await world.dies("after the yes is used, before the call is begun", asks1);
  expect(await world.goesOn(asks1)).toMatchObject({ state: "parked" });
  const second = await world.question();
  expect([second === first, world.effects]).toEqual([false, []]);
  await world.answer(second);
  expect(await world.goesOn(asks1)).toMatchObject(done);
  expect(world.effects).toEqual(["asks 0"]);
});

test("parked: it died in the middle of the call that the yes was for, and nobody repeats that", async () => {
  const world = await World.begin();
  await world.goesOn(asks1);
  await world.answer(await world.question());
  await world.dies("in the middle of the call", asks1);
  expect(await world.goesOn(asks1)).toMatchObject(done);
  expect(world.effects).toEqual(["asks 0"]);
  expect(await world.results()).toMatchObject([{ callId: `${world.runId}.1.1`, code: "TOOL_UNKNOWN" }]);
});

import { expect, test } from "vitest";
import { sampleCall, sampleOutcome } from "../../../../test/fixtures/store/sample-call.ts";
import { countStatements } from "../../../../test/support/count-statements.ts";
import { FileBench } from "../../../../test/support/files.ts";
import { openStore, type Store } from "../../../app/store/index.ts";
import type { LedgerCall, RepeatedCall } from "../../../kernel/index.ts";

const call: LedgerCall = { ...sampleCall("c"), taskId: "t", startedAt: 5000 };
const again: RepeatedCall = { toolName: call.toolName, scope: call.scope, params: call.params, taskId: "t" };

/** Leaves a call behind as a process does that dies in the middle of it. */
async function dieWithin(path: string, over: Partial<LedgerCall> = {}): Promise<void> {
  const store = await openStore({ path });
  await store.ledger.start({ ...call, ...over });
  await store.close();
}

test("a call may have happened if its process died in the middle of the same call of the task", async () => {
  using bench = new FileBench();
  const path = bench.path("haft.db");
  await dieWithin(path);
  await using store = await openStore({ path });
  expect(await store.ledger.mayHaveHappened(again)).toBe(5000);
  for (const over of [
    { params: { path: "/tmp/b" } },
    { toolName: "send" },
    { taskId: "u" },
    { scope: "other" },
  ])
    expect(await store.ledger.mayHaveHappened({ ...again, ...over })).toBeUndefined();
});

test("a call of the same tree of runs counts, and one of another tree does not", async () => {
  using bench = new FileBench();
  const path = bench.path("haft.db");
  await using store = await openStore({ path });
  const begin = async (parent?: string) => {
    const { id } = await store.sessions.open({ scope: "local", agentId: "main", channel: "test" });
    return store.runs.begin({
      scope: "local",
      kind: "task",
      sessionId: id,
      ...(parent !== undefined && { parentId: parent }),
    });
  };
  const root = await begin();
  const [child, sibling, stranger] = [await begin(root.id), await begin(root.id), await begin()];
  await dieWithin(path, { taskId: child.id });
  await store.ledger.recover();
  const ask = (taskId: string) => store.ledger.mayHaveHappened({ ...again, taskId });
  expect([await ask(root.id), await ask(sibling.id), await ask(stranger.id)]).toEqual([
    5000,
    5000,
    undefined,
  ]);
});

test("a call that ended, that may be repeated, or that this process makes itself does not count", async () => {
  using bench = new FileBench();
  const path = bench.path("haft.db");
  await dieWithin(path, { callId: "idempotent", idempotent: true });
  await using other = await openStore({ path });
  await other.ledger.start({ ...call, callId: "ended" });
  await other.ledger.end({ ...call, callId: "ended" }, sampleOutcome());
  await using store = await openStore({ path });
  await store.ledger.start({ ...call, callId: "mine" });
  expect(await store.ledger.mayHaveHappened(again)).toBeUndefined();
});

test("a call that another process still makes counts until it has ended", async () => {
  using bench = new FileBench();
  const path = bench.path("haft.db");
  await using other = await openStore({ path });
  await other.ledger.start(call);
  await using store = await openStore({ path });
  expect(await store.ledger.mayHaveHappened(again)).toBe(5000);
  await other.ledger.end(call, sampleOutcome());
  expect(await store.ledger.mayHaveHappened(again)).toBeUndefined();
});

test("a call whose arguments were erased may have been any call of its tool", async () => {
  using bench = new FileBench();
  const path = bench.path("haft.db");
  await dieWithin(path);
  await using store = await openStore({ path });
  await store.ledger.recover();
  expect(await store.ledger.mayHaveHappened(again)).toBe(5000);
  expect(await store.ledger.erase(call.callId, "person:me")).toBe("erased");
  expect(await store.ledger.mayHaveHappened(again)).toBe(5000);
  await using next = await openStore({ path });
  expect(await next.ledger.mayHaveHappened(again)).toBe(5000);
  expect(await next.ledger.mayHaveHappened({ ...again, params: { path: "/tmp/b" } })).toBe(5000);
  expect(await next.ledger.mayHaveHappened({ ...again, toolName: "send" })).toBeUndefined();
});

test("what is found to be unknown later counts from then on", async () => {
  using bench = new FileBench();
  const path = bench.path("haft.db");
  await using store = await openStore({ path });
  expect(await store.ledger.mayHaveHappened(again)).toBeUndefined();
  await dieWithin(path);
  await store.ledger.recover();
  expect(await store.ledger.mayHaveHappened(again)).toBe(5000);
});

test("the store is read once for all calls of a task of which none is unsettled", async () => {
  await using store: Store = await openStore({ path: ":memory:" });
  await store.ledger.mayHaveHappened(again);
  expect(await countStatements(() => store.ledger.mayHaveHappened(again))).toEqual({
    statements: 0,
    commits: 0,
  });
});

test("what another process left of a run counts once this process has that run again", async () => {
  using bench = new FileBench();
  const path = bench.path("haft.db");
  await using store = await openStore({ path });
  const { id: sessionId } = await store.sessions.open({ scope: "local", agentId: "main", channel: "test" });
  const { id } = await store.runs.begin({ scope: "local", kind: "task", sessionId });
  const first = await store.runs.claim("local", id, 60_000);
  expect(await store.ledger.mayHaveHappened({ ...again, taskId: id })).toBeUndefined();
  if (first !== undefined) await store.runs.release(first);
  await dieWithin(path, { taskId: id });
  // A third process finds the call unknown, so that there is nothing left to recover here.
  await using third = await openStore({ path });
  expect(await third.ledger.mayHaveHappened({ ...again, taskId: id })).toBe(5000);
  expect(await store.runs.claim("local", id, 60_000)).toBeDefined();
  expect(await store.ledger.mayHaveHappened({ ...again, taskId: id })).toBe(5000);
});

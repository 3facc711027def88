import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { sampleCall, sampleOutcome } from "../../../../test/fixtures/store/sample-call.ts";
import { FileBench } from "../../../../test/support/files.ts";
import { openStore, type Store } from "../../../app/store/index.ts";

/** What a call can be seen to have come to, but for its place in the ledger. */
async function describe(store: Store, callId: string) {
  const { seq: _seq, hash: _hash, end: _end, callId: _id, ...seen } = (await store.ledger.show(callId)) ?? {};
  return seen;
}

test("a call that ends before its start is written has one row, which says all that two would", async () => {
  using bench = new FileBench();
  const path = bench.path("haft.db");
  const [call, outcome] = [sampleCall("two"), sampleOutcome()];
  const store = await openStore({ path });
  await store.ledger.start(call);
  await store.ledger.end(call, outcome);
  const once = { ...call, callId: "one" };
  const started = store.ledger.start(once);
  await Promise.all([started, store.ledger.end(once, outcome)]);
  expect(await describe(store, "one")).toEqual(await describe(store, "two"));
  expect((await store.ledger.list()).map(({ callId, end }) => [callId, end === undefined])).toEqual([
    ["one", true],
    ["two", false],
  ]);
  expect(await store.ledger.verify()).toMatchObject({ valid: true, rows: 3 });
  await store.close();
  const db = new DatabaseSync(path);
  expect(db.prepare("select call_id, event, start_seq from ledger").all()).toMatchObject([
    { call_id: "two", event: "started", start_seq: null },
    { call_id: "two", event: "ended", start_seq: 1 },
    { call_id: "one", event: "ended", start_seq: null },
  ]);
  db.close();
});

test("calls that begin and end at once are listed in the order in which they began", async () => {
  await using store = await openStore({ path: ":memory:" });
  const { ledger } = store;
  const ids = ["a", "b", "c", "d"];
  const starts = ids.map((id) => ledger.start(sampleCall(id)));
  const ends = ids.toReversed().map((id) => ledger.end(sampleCall(id), sampleOutcome()));
  await Promise.all([...starts, ...ends]);
  expect((await ledger.list()).map(({ callId }) => callId)).toEqual(ids.toReversed());
  expect(await ledger.verify()).toMatchObject({ valid: true, rows: 4 });
});

test("what happens to a call's arguments after its start is not in its one row", async () => {
  await using store = await openStore({ path: ":memory:" });
  const call = sampleCall("changed");
  const started = store.ledger.start(call);
  const changed = { ...call, params: {}, paramsText: "{}" };
  await Promise.all([started, store.ledger.end(changed, sampleOutcome())]);
  expect((await store.ledger.show("changed"))?.paramsText).toBe(call.paramsText);
});

test("a call whose run another process has leaves no row, nor its end, and holds up no call beside it", async () => {
  await using store = await openStore({ path: ":memory:" });
  const { ledger, runs, sessions, taskRuns } = store;
  const { id: sessionId } = await sessions.open({ scope: "local", agentId: "main", channel: "test" });
  const { id } = await runs.begin({ scope: "local", kind: "turn", sessionId });
  const run = await runs.claim("local", id, 60_000);
  const held = { scope: "local", id, lease: run?.lease ?? "" };
  const late = { ...sampleCall("late"), lease: { ...held, lease: "l_before" }, untrustedFiles: ["/w/a.txt"] };
  const inTime = { ...sampleCall("in-time"), lease: held };
  const started = await Promise.allSettled([
    ledger.start(late),
    ledger.start(inTime),
    ledger.start(sampleCall("another")),
  ]);
  expect(started).toMatchObject([
    { status: "rejected", reason: { code: "LEASE_LOST", details: { runId: id } } },
    { status: "fulfilled" },
    { status: "fulfilled" },
  ]);
  await ledger.end(late, sampleOutcome());
  await ledger.end(inTime, sampleOutcome());
  // One that ends at once, and one of a run that has ended.
  const whole = { ...late, callId: "whole" };
  const both = await Promise.allSettled([ledger.start(whole), ledger.end(whole, sampleOutcome())]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await taskRuns.stop({ scope: "local", runId: id, why: "stopped" });
  await expect(ledger.start({ ...inTime, callId: "after" })).rejects.toMatchObject({ code: "LEASE_LOST" });
  expect((await ledger.list()).map(({ callId, state }) => [callId, state])).toEqual([
    ["another", "started"],
    ["in-time", "completed"],
  ]);
  expect(await ledger.untrustedFiles()).toEqual([]);
  expect(await ledger.verify()).toMatchObject({ valid: true, rows: 3 });
});

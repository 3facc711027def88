import { expect, test } from "vitest";
import { sampleCall, sampleOutcome } from "../../../../test/fixtures/store/sample-call.ts";
import { FileBench } from "../../../../test/support/files.ts";
import { openStore } from "../../../app/store/index.ts";
import { storeSchema } from "../../../app/store/store-schema.ts";
import { openSqlite } from "../../../db/index.ts";
import { createFakeClock } from "../../../testing/index.ts";
import { type EventKind, noteEvents } from "../../events/index.ts";

/** Two processes on one store: the first is told which of its calls are to be cancelled. */
async function openTwo(bench: FileBench) {
  const clock = createFakeClock();
  const told: string[] = [];
  const path = bench.path("haft.db");
  const onCancel = (callId: string, by: string) => void told.push(`${callId} by ${by}`);
  return {
    clock,
    told,
    owner: await openStore({ path, clock, onCancel }),
    other: await openStore({ path, clock }),
  };
}

/** Notes events as another program does that works on the same store. */
async function note(bench: FileBench, kind: EventKind, ids: readonly string[]): Promise<void> {
  const db = await openSqlite({
    path: bench.path("haft.db"),
    schema: storeSchema,
    durability: "normal",
    busyTimeoutMs: 1000,
    clock: createFakeClock(),
  });
  await db.write((tx) => noteEvents(tx, kind, ids, 0));
  await db.close();
}

test("a process is asked to cancel its own calls, each once, however often it looks", async () => {
  using bench = new FileBench();
  const { clock, told, owner, other } = await openTwo(bench);
  for (const id of ["a", "b"]) await owner.ledger.start(sampleCall(id));
  await other.ledger.start(sampleCall("c"));
  for (const id of ["b", "c", "none"]) await other.ledger.requestCancel(id, "person:console");
  await clock.advance(499);
  expect(told).toEqual([]);
  await clock.advance(1);
  expect(told).toEqual(["b by person:console"]);
  await clock.advance(5000);
  await owner.ledger.requestCancel("a", "person:me");
  await clock.advance(500);
  expect(told).toEqual(["b by person:console", "a by person:me"]);
  await owner.close();
  await other.close();
});

test("nothing is looked for while no call is under way, or after the end of the store", async () => {
  using bench = new FileBench();
  const { clock, told, owner, other } = await openTwo(bench);
  expect(clock.pending).toBe(0);
  await owner.ledger.start(sampleCall("a"));
  expect(clock.pending).toBe(1);
  await owner.ledger.end(sampleCall("a"), sampleOutcome());
  expect(clock.pending).toBe(0);
  await owner.ledger.start(sampleCall("b"));
  await other.ledger.requestCancel("b", "person:console");
  await owner.close();
  expect(clock.pending).toBe(0);
  expect(told).toEqual([]);
  await other.close();
});

test("a request is found among however many events", async () => {
  using bench = new FileBench();
  const { clock, told, owner, other } = await openTwo(bench);
  await owner.ledger.start(sampleCall("a"));
  await clock.advance(500);
  await other.ledger.requestCancel("a", "person:console");
  await note(bench, "memory", Array(1500).fill("m"));
  await clock.advance(500);
  expect(told).toEqual(["a by person:console"]);
  await owner.close();
  await other.close();
});

test("a request that cannot be read ends no process, and hides no other", async () => {
  using bench = new FileBench();
  const { clock, told, owner, other } = await openTwo(bench);
  await owner.ledger.start(sampleCall("a"));
  await note(bench, "cancel", ["{", "null", "3", '["a"]']);
  await other.ledger.requestCancel("a", "person:console");
  await clock.advance(500);
  expect(told).toEqual(["a by person:console"]);
  await owner.close();
  await other.close();
});

test("a request of before this process made its first call is for none of its calls, whatever their ids", async () => {
  using bench = new FileBench();
  const { clock, told, owner, other } = await openTwo(bench);
  await other.ledger.start(sampleCall("a"));
  await other.ledger.requestCancel("a", "person:console");
  await other.ledger.end(sampleCall("a"), sampleOutcome());
  await owner.ledger.start(sampleCall("a"));
  await clock.advance(500);
  expect(told).toEqual([]);
  await owner.ledger.requestCancel("a", "person:console");
  await clock.advance(500);
  expect(told).toEqual(["a by person:console"]);
  await owner.close();
  await other.close();
});

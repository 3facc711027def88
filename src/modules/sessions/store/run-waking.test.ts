import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore, type Store, storeSchema } from "../../../app/store/index.ts";
import { openSqlite, type TypedDatabase } from "../../../db/index.ts";
import type { Approval, ApprovalAnswer } from "../../../kernel/index.ts";
import { createFakeClock } from "../../../testing/index.ts";
import { type ApprovalTables, SqlApprovals } from "../../approvals/index.ts";
import { runJobKind } from "./run-waking.ts";
import type { Run } from "./runs.ts";

const scope = "local";
const start = Date.UTC(2026, 0, 1);
const day = 86_400_000;
const yes: ApprovalAnswer = { approved: true, by: "owner:ada" };

async function open() {
  const clock = createFakeClock(start);
  const store = await openStore({ path: ":memory:", clock });
  onTestFinished(() => store.close());
  return { clock, store };
}

function question(id: string): Approval {
  return {
    id,
    callId: "c_1",
    toolName: "bash",
    toolTitle: "bash",
    toolVersion: "1",
    params: {},
    effects: [],
    folder: "/w",
    reason: "no rule allows it",
    offers: [],
    scope,
    agentId: undefined,
    userId: undefined,
    origin: undefined,
    project: undefined,
    approvers: ["owner:*"],
    createdAt: start,
    waitsUntil: undefined,
    expiresAt: start + day,
  };
}

async function begin({ sessions, runs }: Store, queued = false): Promise<Run> {
  const { id: sessionId } = await sessions.open({ scope, agentId: "main", channel: "test" });
  return runs.begin({ scope, kind: "turn", sessionId, project: "/w", queued });
}

/** Parks a run as the process does that drives it. */
async function park(store: Store, waitFor: string, { id }: Pick<Run, "id">): Promise<void> {
  const claimed = await store.runs.claim(scope, id, 60_000);
  if (claimed === undefined) throw new Error(`the run ${id} can't be had`);
  await store.runs.write(claimed, { run: { state: "parked", why: "approval", waitFor } });
}

async function ask({ approvals }: Store, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await approvals.open(question(id), undefined);
}

const listDue = async ({ jobs }: Store) =>
  Object.fromEntries((await jobs.list({ kinds: [runJobKind("/w")] })).map(({ key, runAt }) => [key, runAt]));

test("a run that is queued has a job at once, one that is not has none", async () => {
  const { store } = await open();
  await begin(store);
  const queued = await begin(store, true);
  expect(queued.project).toBe("/w");
  expect(await listDue(store)).toEqual({ [queued.id]: start });
});

test("a parked run goes on when its question ends, and earlier once that is answered", async () => {
  const { store, clock } = await open();
  const run = await begin(store);
  await ask(store, "a_1", "a_2");
  await park(store, "approval:a_1", run);
  expect(await listDue(store)).toEqual({ [run.id]: start + day });
  await clock.advance(1_000);
  await store.approvals.answer("a_2", yes);
  expect(await listDue(store)).toEqual({ [run.id]: start + day });
  await store.approvals.answer("a_1", yes);
  expect(await listDue(store)).toEqual({ [run.id]: start + 1_000 });
});

test("a run that waits for several answers goes on with the first, and so does every run that waits for it", async () => {
  const { store } = await open();
  const [one, two] = [await begin(store), await begin(store)];
  await ask(store, "a_1", "a_2");
  await park(store, "approval:a_1 approval:a_2", one);
  await park(store, "approval:a_2", two);
  await store.approvals.answer("a_2", { approved: false, by: "owner:ada" });
  expect(await listDue(store)).toEqual({ [one.id]: start, [two.id]: start });
});

test("a run that is parked after its question was answered, or is gone, goes on at once", async () => {
  const { store } = await open();
  const [one, two] = [await begin(store), await begin(store)];
  await ask(store, "a_1");
  await store.approvals.answer("a_1", yes);
  await park(store, "approval:a_1", one);
  await park(store, "approval:a_gone", two);
  expect(await listDue(store)).toEqual({ [one.id]: start, [two.id]: start });
});

test("a run that waits for a time goes on then, also after the clock has jumped", async () => {
  const { store, clock } = await open();
  const run = await begin(store);
  await park(store, `time:${start + 600_000}`, run);
  expect(await listDue(store)).toEqual({ [run.id]: start + 600_000 });
  const claim = () => store.jobs.claim({ kinds: [runJobKind("/w")], leaseMs: 60_000 });
  expect(await claim()).toBeUndefined();
  await clock.advance(3_600_000);
  expect(await claim()).toMatchObject({ key: run.id });
});

test("of people who answer at once in two processes one is heard, and the run goes on once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "haft-waking-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "haft.db");
  // Each waits for the other by the clock of the machine.
  const [first, second] = [await openStore({ path }), await openStore({ path })];
  onTestFinished(async () => {
    await first.close();
    await second.close();
  });
  const run = await begin(first);
  const expiresAt = Date.now() + day;
  await first.approvals.open({ ...question("a_1"), expiresAt }, undefined);
  await park(first, "approval:a_1", run);
  const answers = await Promise.allSettled([
    first.approvals.answer("a_1", yes),
    second.approvals.answer("a_1", { approved: false, by: "owner:ben" }),
  ]);
  const failed = answers.filter(({ status }) => status === "rejected");
  expect(failed).toMatchObject([{ reason: { code: "APPROVAL_ANSWERED" } }]);
  const jobs = await first.jobs.list({ kinds: [runJobKind("/w")] });
  expect(jobs).toMatchObject([{ key: run.id, state: "pending" }]);
  expect(jobs[0]?.runAt).toBeLessThan(expiresAt);
});

test("an answer is stored with what it wakes, or not at all", async () => {
  const clock = createFakeClock(start);
  const database = { path: ":memory:", durability: "normal", clock, busyTimeoutMs: 1000 } as const;
  const db: TypedDatabase<ApprovalTables> = await openSqlite({ ...database, schema: storeSchema });
  onTestFinished(() => db.close());
  const onAnswered = () => Promise.reject(new Error("the disk is full"));
  const approvals = new SqlApprovals(db, { clock, redact: undefined, onAnswered });
  await approvals.open(question("a_1"), undefined);
  await expect(approvals.answer("a_1", yes)).rejects.toThrow("the disk is full");
  expect(await approvals.get("a_1")).toMatchObject({ state: "pending", answer: undefined });
});

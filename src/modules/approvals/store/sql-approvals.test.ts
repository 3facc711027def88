import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore, type StoreOptions } from "../../../app/store/index.ts";
import type { Approval, ApprovalAnswer, CallKey, Effect } from "../../../kernel/index.ts";
import { createFakeClock } from "../../../testing/index.ts";

const key: CallKey = {
  scope: "local",
  agentId: undefined,
  toolName: "bash",
  toolVersion: "1",
  params: { command: "curl -H s3cret" },
  effects: [{ kind: "run", target: "curl -H s3cret", within: false }],
  allowedPaths: [],
};
const yes: ApprovalAnswer = { approved: true, by: "owner:ada" };
const never = new AbortController().signal;
const start = Date.UTC(2026, 0, 1);
const day = 86_400_000;

function question(id: string, changes: Partial<Approval> = {}): Approval {
  return {
    id,
    callId: "c_1",
    toolName: "bash",
    toolTitle: "bash",
    toolVersion: "1",
    params: key.params,
    effects: key.effects,
    folder: "/w/p",
    reason: "no rule allows it",
    offers: [],
    scope: "local",
    agentId: undefined,
    userId: undefined,
    origin: undefined,
    project: undefined,
    approvers: ["owner:*"],
    createdAt: start,
    waitsUntil: start + 1000,
    expiresAt: start + 1000,
    ...changes,
  };
}

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-approvals-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "haft.db");
}

async function open(options: Partial<StoreOptions> = {}) {
  const clock = createFakeClock(start);
  return [clock, await openStore({ path: ":memory:", clock, ...options })] as const;
}

test("a list leaves out effects that are too long for it, and get() has them; a tool narrows it", async () => {
  const [, store] = await open();
  await using _ = store;
  const effects = Array.from(
    { length: 300 },
    (_, at): Effect => ({ kind: "write", target: `/w/p/${"folder/".repeat(8)}${at}`, within: true }),
  );
  await store.approvals.open(question("a_long", { effects }), undefined);
  await store.approvals.open(question("a_short", { toolName: "edit" }), undefined);
  const listed = new Map((await store.approvals.list()).map((one) => [one.id, one]));
  expect(listed.get("a_long")).toMatchObject({ effects: [], hasLongEffects: true });
  expect(listed.get("a_short")).toMatchObject({ effects: key.effects });
  expect(listed.get("a_short")).not.toHaveProperty("hasLongEffects");
  const whole = await store.approvals.get("a_long");
  expect(whole?.effects).toEqual(effects);
  expect(whole).not.toHaveProperty("hasLongEffects");
  expect((await store.approvals.list({ toolName: "edit" })).map(({ id }) => id)).toEqual(["a_short"]);
});

test("answered() hears of an answer from another process within a quarter of a second", async () => {
  const path = newPath();
  const [clock, first] = await open({ path });
  await using _ = first;
  await using second = await openStore({ path, clock });
  await first.approvals.open(question("a_1"), key);
  let answer: ApprovalAnswer | undefined;
  const waiting = first.approvals.answered("a_1", never).then((one) => (answer = one));
  await clock.advance(250);
  expect(answer).toBeUndefined();
  await second.approvals.answer("a_1", yes);
  await clock.advance(250);
  expect(answer).toEqual(yes);
  await waiting;
  expect(clock.pending).toBe(0);
});

test("answered() tells one who waits that the question expired", async () => {
  const [clock, store] = await open();
  await using _ = store;
  await store.approvals.open(question("a_1"), key);
  const waiting = expect(store.approvals.answered("a_1", never)).rejects.toMatchObject({
    code: "APPROVAL_EXPIRED",
  });
  await clock.advance(1200);
  await waiting;
  expect(clock.pending).toBe(0);
});

test("answered() leaves no timer behind, and Store.close() ends whoever waits", async () => {
  const [clock, store] = await open();
  await store.approvals.open(question("a_1"), key);
  const left = new AbortController();
  const waiting = store.approvals.answered("a_1", left.signal);
  await clock.advance(10);
  expect(clock.pending).toBe(1);
  left.abort(new Error("left"));
  await expect(waiting).rejects.toThrow("left");
  expect(clock.pending).toBe(0);
  const ended = expect(store.approvals.answered("a_1", never)).rejects.toMatchObject({
    code: "STORE_CLOSED",
  });
  await store.close();
  await ended;
  await expect(store.approvals.answered("a_1", never)).rejects.toMatchObject({ code: "STORE_CLOSED" });
  expect(clock.pending).toBe(0);
});

test("a yes that no call came for in time is no yes any more", async () => {
  const [clock, store] = await open();
  await using _ = store;
  await store.approvals.open(question("a_1"), key);
  await store.approvals.answer("a_1", yes);
  await clock.advance(1000);
  expect(await store.approvals.claim("a_1", "c_1")).toBe(false);
  expect(await store.approvals.find(key, ["owner:*"])).toBeUndefined();
  expect(await store.approvals.get("a_1")).toMatchObject({ state: "expired", answer: yes });
  expect(await store.approvals.list({ state: "approved" })).toEqual([]);
  expect(await store.approvals.list({ state: "expired" })).toMatchObject([{ id: "a_1" }]);
});

test("find() takes the newest of several answers", async () => {
  const [clock, store] = await open();
  await using _ = store;
  await store.approvals.open(question("a_1"), key);
  await store.approvals.answer("a_1", yes);
  await clock.advance(1);
  await store.approvals.open(question("a_2"), key);
  await store.approvals.answer("a_2", { approved: true, by: "owner:bob" });
  expect(await store.approvals.find(key, ["owner:*"])).toMatchObject({
    id: "a_2",
    answer: { by: "owner:bob" },
  });
});

test("questions are gone thirty days after their end, and not before", async () => {
  const [clock, store] = await open();
  await using _ = store;
  await store.approvals.open(question("a_1"), key);
  await store.approvals.open(question("a_2", { expiresAt: start + 60 * day }), undefined);
  await clock.advance(30 * day);
  await store.approvals.open(question("a_3", { expiresAt: start + 40 * day }), undefined);
  expect((await store.approvals.list()).map(({ id }) => id)).toEqual(["a_1", "a_2", "a_3"]);
  await clock.advance(1001);
  await store.approvals.open(question("a_4"), undefined);
  expect((await store.approvals.list()).map(({ id }) => id)).toEqual(["a_2", "a_3", "a_4"]);
});

test("what is kept of a question has no secret in it, and an offer that would need one is not made", async () => {
  const [, store] = await open({ redact: (text) => text.replaceAll("s3cret", "[redacted]") });
  await using _ = store;
  const patterns = [{ kind: "run", target: "curl -H s3cret", reach: "arguments" }] as const;
  const offer = { id: "exact", label: "", covers: "", leaves: "", terms: ["session"] } as const;
  const offers = [offer, { ...offer, id: "wider", patterns }];
  const effect = { ...key.effects[0], aliases: ["H s3cret"], unclear: "s3cret", risk: "s3cret" } as Effect;
  const changes = { reason: "for s3cret", offers, effects: [effect] };
  const opened = await store.approvals.open(question("a_1", changes), key);
  expect(opened.offers).toEqual([offer]);
  const kept = await store.approvals.get("a_1");
  expect(JSON.stringify(kept)).not.toContain("s3cret");
  expect(kept).toMatchObject({ params: { command: "curl -H [redacted]" }, reason: "for [redacted]" });
  await store.approvals.answer("a_1", yes);
  expect(await store.approvals.find(key, ["owner:*"])).toMatchObject({ id: "a_1" });
  expect(await store.approvals.find({ ...key, params: kept?.params }, ["owner:*"])).toBeUndefined();
});

test("arguments of any form are kept so that they can be read", async () => {
  const [, store] = await open();
  await using _ = store;
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  const long = "x".repeat(1_100_000);
  const forms = [undefined, null, "text", { a: "\0\ud800" }, cycle, { long }];
  for (const [at, params] of forms.entries())
    await store.approvals.open(question(`a_${at}`, { params }), undefined);
  const kept = await Promise.all(
    forms.map(async (_form, at) => (await store.approvals.get(`a_${at}`))?.params),
  );
  expect(kept.slice(0, 5)).toEqual([null, null, "text", { a: "\0\ud800" }, "[not a JSON value]"]);
  expect(kept[5]).toMatch(/^\{"long":"x+ … \(\d+ more characters\)$/);
});

test("a watcher that is not renewed is taken to be gone, as where its process was killed; one that is stays", async () => {
  const [path, clock, other] = [newPath(), createFakeClock(start), createFakeClock(start)];
  await using store = await openStore({ path, clock });
  await using killed = await openStore({ path, clock: other });
  const people = ["owner:*"];
  await killed.approvals.watch({ kind: "terminal", identity: "owner:ben" });
  await clock.advance(14_000);
  expect(await store.approvals.watched(people)).toBe(true);
  await clock.advance(1_000);
  expect(await store.approvals.watched(people)).toBe(false);
  const end = await store.approvals.watch({ kind: "terminal", identity: "owner:ada" });
  for (let renewals = 0; renewals < 10; renewals++) {
    await clock.advance(5_000);
    expect(await store.approvals.watched(people)).toBe(true);
  }
  await end();
  expect([await store.approvals.watched(people), clock.pending]).toEqual([false, 0]);
});

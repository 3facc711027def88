import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../../app/store/index.ts";
import type { GrantKey } from "../../../kernel/index.ts";
import { createFakeClock } from "../../../testing/index.ts";

const key: GrantKey = {
  scope: "local",
  agentId: undefined,
  toolName: "bash",
  toolVersion: "1",
  params: { command: "npm test" },
  effects: [],
  allowedPaths: [],
  session: undefined,
  longest: "always",
  asked: [],
};
const day = 86_400_000;

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-grants-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "haft.db");
}

test("a grant for a time ends when it is over, and says so", async () => {
  const clock = createFakeClock(Date.UTC(2026, 0, 31, 12));
  await using store = await openStore({ path: ":memory:", clock });
  const id = await store.grants.add({ key, term: 3_600_000, by: "owner:ada" });
  await clock.advance(3_599_999);
  expect(await store.grants.find(key)).toEqual([id]);
  await clock.advance(1);
  expect(await store.grants.find(key)).toBeUndefined();
  expect(await store.grants.whyNot(key)).toBe(`the answer ${id} ended on 2026-01-31 13:00 UTC`);
  expect(await store.grants.list()).toEqual([]);
  expect(await store.grants.list({ includeEnded: true })).toMatchObject([{ id, state: "expired" }]);
  expect(await store.grants.revoke(id, "owner:ada")).toBe(false);
  const anew = await store.grants.add({ key, term: 3_600_000, by: "owner:ada" });
  expect(await store.grants.find(key)).toEqual([anew]);
});

test("a grant for always ends when nothing used it for thirty days; each use is a new start", async () => {
  const clock = createFakeClock();
  await using store = await openStore({ path: ":memory:", clock });
  const id = await store.grants.add({ key, term: "always", by: "owner:ada" });
  for (let uses = 0; uses < 3; uses++) {
    await clock.advance(30 * day - 1);
    expect(await store.grants.find(key)).toEqual([id]);
  }
  await clock.advance(29 * day);
  expect(await store.grants.find(key, { peek: true })).toEqual([id]);
  await clock.advance(day);
  expect(await store.grants.find(key)).toBeUndefined();
  expect(await store.grants.whyNot(key)).toBe(`the answer ${id} was not used for 30 days`);
  expect(await store.grants.list()).toEqual([]);
});

test("a yes to a project's own programs stands, however long it is unused, until it is revoked", async () => {
  const clock = createFakeClock();
  await using store = await openStore({ path: ":memory:", clock });
  const [effect, pattern] = [
    { kind: "run", target: "npm test", within: false, project: true, confined: true },
    { kind: "run", target: "", reach: "project", confined: true },
  ] as const;
  const mine = { ...key, effects: [effect], asked: [effect] };
  const id = await store.grants.add({ key: mine, patterns: [pattern], term: "always", by: "owner:ada" });
  await clock.advance(3650 * day);
  expect(await store.grants.list()).toMatchObject([{ id, state: "standing", unusedAt: undefined }]);
  expect(await store.grants.find(mine)).toEqual([id]);
  expect(await store.grants.revoke(id, "owner:ada")).toBe(true);
  expect(await store.grants.find(mine)).toBeUndefined();
});

test("GrantStore.list() names the folder of a grant for commands, and of no other", async () => {
  await using store = await openStore({
    path: ":memory:",
    redact: (text) => text.replaceAll("hunter2", "***"),
  });
  const mine = { ...key, allowedPaths: ["/w/hunter2", "/tmp"] };
  const npm = { kind: "run", target: "npm test", reach: "arguments" } as const;
  const below = { kind: "read", target: "/data/", reach: "below" } as const;
  const commands = await store.grants.add({ key: mine, patterns: [npm], term: "always", by: "owner:ada" });
  const files = await store.grants.add({ key: mine, patterns: [below], term: "always", by: "owner:ada" });
  const folders = new Map((await store.grants.list()).map(({ id, folder }) => [id, folder]));
  expect(folders.get(commands)).toBe("/w/***");
  expect(folders.get(files)).toBeUndefined();
});

test("openStore() takes how long an unused grant lives", async () => {
  const clock = createFakeClock();
  await using store = await openStore({ path: ":memory:", clock, grantDecayMs: day });
  await store.grants.add({ key, term: "always", by: "owner:ada" });
  await clock.advance(day);
  expect(await store.grants.find(key)).toBeUndefined();
});

test("a grant for the session of a caller without one is for as long as its store is open", async () => {
  const path = newPath();
  const first = await openStore({ path });
  const id = await first.grants.add({ key, term: "session", by: "owner:ada" });
  expect(await first.grants.find(key)).toEqual([id]);
  {
    await using second = await openStore({ path });
    expect(await second.grants.find(key)).toBeUndefined();
    expect(await second.grants.whyNot(key)).toBe(`the answer ${id} was for another session`);
  }
  await first.close();
  await using third = await openStore({ path });
  expect(await third.grants.find(key)).toBeUndefined();
  expect(await third.grants.whyNot(key)).toBe(`the answer ${id} was for a session that is over`);
  expect(await third.grants.list()).toEqual([]);
});

test("a grant for a named session ends with its store, which is all that knows the session", async () => {
  const path = newPath();
  const mine = { ...key, session: "client-1" };
  const first = await openStore({ path });
  const id = await first.grants.add({ key: mine, term: "session", by: "owner:ada" });
  expect(await first.grants.find(mine)).toEqual([id]);
  await using second = await openStore({ path });
  expect(await second.grants.find(mine)).toBeUndefined();
  expect(await second.grants.list()).toMatchObject([{ id, state: "standing" }]);
  await first.close();
  expect(await second.grants.list()).toEqual([]);
  expect(await second.grants.list({ includeEnded: true })).toMatchObject([{ id, state: "ended" }]);
});

test("GrantStore.list() and revokeAll() know the session grants of a program that could not end them", async () => {
  const path = newPath();
  {
    await using store = await openStore({ path });
    for (const session of [undefined, "client-1"])
      await store.grants.add({ key: { ...key, session }, term: "session", by: "owner:ada" });
    await store.grants.add({ key, term: "always", by: "owner:ada" });
  }
  // As a kill leaves them.
  const db = new DatabaseSync(path);
  db.exec("update tool_grant set ended_at = null; delete from run");
  db.close();
  await using store = await openStore({ path });
  const own = await store.grants.add({
    key: { ...key, session: "client-2" },
    term: "session",
    by: "owner:ada",
  });
  expect((await store.grants.list()).map(({ id, term }) => [id === own, term])).toEqual(
    expect.arrayContaining([
      [true, "session"],
      [false, "always"],
    ]),
  );
  expect(await store.grants.list()).toHaveLength(2);
  expect(await store.grants.revokeAll("owner:ada")).toBe(2);
});

test("two stores of one file agree at once on what is revoked", async () => {
  const path = newPath();
  await using first = await openStore({ path });
  await using second = await openStore({ path });
  const id = await first.grants.add({ key, term: "always", by: "owner:ada" });
  expect(await second.grants.find(key)).toEqual([id]);
  await second.grants.revoke(id, "owner:ada");
  expect(await first.grants.find(key)).toBeUndefined();
});

import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { GrantKey } from "../kernel/index.ts";
import type { GrantStore } from "../store/index.ts";
import type { ContractCase } from "./contract-case.ts";

const key: GrantKey = {
  scope: "local",
  agentId: "writer",
  toolName: "bash",
  toolVersion: "1",
  params: { command: "ls", options: { all: true, depth: 2 } },
  effects: [{ kind: "run", target: "ls", within: false }],
};

/** What grants remember, and what they must not cover. */
export const grantCases: readonly ContractCase<GrantStore>[] = [
  {
    name: "find() knows no grant before one is added",
    async run(grants) {
      strictEqual(await grants.find(key), undefined);
    },
  },
  {
    name: "find() covers the same call, whatever the order of the keys of its arguments",
    async run(grants) {
      const id = await grants.add(key, "ada");
      strictEqual(await grants.find(key), id);
      strictEqual(
        await grants.find({ ...key, params: { options: { depth: 2, all: true }, command: "ls" } }),
        id,
      );
    },
  },
  {
    name: "find() covers no call that differs in anything",
    async run(grants) {
      await grants.add(key, "ada");
      const others: GrantKey[] = [
        { ...key, scope: "local/sub" },
        { ...key, agentId: undefined },
        { ...key, agentId: "Writer" },
        { ...key, toolName: "bash2" },
        { ...key, toolVersion: "2" },
        { ...key, params: { command: "ls " } },
        { ...key, params: { command: "ls", options: { all: true, depth: "2" } } },
        { ...key, params: { command: "ls", options: { all: true, depth: 2 }, cwd: "/" } },
        { ...key, params: [key.params] },
        { ...key, params: JSON.stringify(key.params) },
        { ...key, params: null },
        { ...key, effects: [] },
        { ...key, effects: [{ kind: "read", target: "ls", within: false }] },
        { ...key, effects: [{ kind: "run", target: "ls /elsewhere", within: false }] },
      ];
      for (const other of others) strictEqual(await grants.find(other), undefined);
    },
  },
  {
    name: "find() takes no part of a key for a part of another",
    async run(grants) {
      await grants.add({ ...key, toolName: "a", toolVersion: "b" }, "ada");
      strictEqual(await grants.find({ ...key, toolName: 'a","b', toolVersion: "" }), undefined);
      strictEqual(await grants.find({ ...key, toolName: "ab", toolVersion: "" }), undefined);
    },
  },
  {
    name: "add() refuses arguments that are not plain JSON, and find() covers none of them",
    async run(grants) {
      const cycle: Record<string, unknown> = {};
      cycle["self"] = cycle;
      for (const params of [
        new Map([["a", 1]]),
        { when: new Date(0) },
        1n,
        Number.NaN,
        undefined,
        cycle,
        { toJSON: () => "ls" },
      ]) {
        await rejects(grants.add({ ...key, params }, "ada"), TypeError);
        strictEqual(await grants.find({ ...key, params }), undefined);
      }
      await grants.add({ ...key, params: {} }, "ada");
      strictEqual(await grants.find({ ...key, params: new Map([["a", 1]]) }), undefined);
    },
  },
  {
    name: "add() of an answer that stands returns the grant there is",
    async run(grants) {
      const id = await grants.add(key, "ada");
      strictEqual(await grants.add(key, "bob"), id);
      strictEqual((await grants.list()).length, 1);
    },
  },
  {
    name: "add() of one answer at once, many times, makes one grant",
    async run(grants) {
      const ids = await Promise.all(Array.from({ length: 20 }, () => grants.add(key, "ada")));
      strictEqual(new Set(ids).size, 1);
    },
  },
  {
    name: "list() says who gave a grant and how often it was used",
    async run(grants) {
      const id = await grants.add(key, "ada");
      await grants.find(key);
      await grants.find(key);
      const [grant, ...others] = await grants.list();
      ok(grant !== undefined);
      deepStrictEqual(others, []);
      const { createdAt, lastUsedAt, paramsText: _, ...rest } = grant;
      ok(lastUsedAt !== undefined && lastUsedAt >= createdAt);
      deepStrictEqual(rest, {
        id,
        scope: "local",
        agentId: "writer",
        toolName: "bash",
        toolVersion: "1",
        by: "ada",
        uses: 2,
        revokedAt: undefined,
        revokedBy: undefined,
      });
    },
  },
  {
    name: "list() keeps to one scope",
    async run(grants) {
      const id = await grants.add(key, "ada");
      await grants.add({ ...key, scope: "local/sub" }, "ada");
      deepStrictEqual(
        (await grants.list({ scope: "local" })).map((grant) => grant.id),
        [id],
      );
    },
  },
  {
    name: "revoke() ends a grant once, and a new answer is a new grant",
    async run(grants) {
      const id = await grants.add(key, "ada");
      strictEqual(await grants.revoke(id, "bob"), true);
      strictEqual(await grants.revoke(id, "bob"), false);
      strictEqual(await grants.revoke("g_0000000000", "bob"), false);
      strictEqual(await grants.find(key), undefined);
      deepStrictEqual(await grants.list(), []);
      const [revoked] = await grants.list({ includeRevoked: true });
      strictEqual(revoked?.revokedBy, "bob");
      notStrictEqual(await grants.add(key, "ada"), id);
    },
  },
];

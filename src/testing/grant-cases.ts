import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { Effect, EffectPattern, GrantKey } from "../kernel/index.ts";
import type { GrantStore } from "../modules/grants/index.ts";
import type { ContractCase } from "./contract-case.ts";

const ls: Effect = { kind: "run", target: "ls", within: false };
const key: GrantKey = {
  scope: "local",
  agentId: "writer",
  toolName: "bash",
  toolVersion: "1",
  params: { command: "ls", options: { all: true, depth: 2 } },
  effects: [ls],
  allowedPaths: ["/home/ada/project"],
  session: undefined,
  longest: "always",
  asked: [ls],
};
const npmTest: EffectPattern = { kind: "run", target: "npm test", reach: "arguments" };
const ownPrograms: EffectPattern = { kind: "run", target: "", reach: "project", confined: true };
const inData: EffectPattern = { kind: "read", target: "/data", reach: "below" };

/** A call that asks for these commands. */
function commands(...targets: string[]): GrantKey {
  const asked = targets.map((target): Effect => ({ kind: "run", target, within: false }));
  return { ...key, params: { command: targets.join("; ") }, effects: asked, asked };
}

function asking(asked: readonly Effect[]): GrantKey {
  return { ...key, params: { asked: asked.length }, effects: asked, asked };
}

function addExact(grants: GrantStore, of: GrantKey = key, by = "ada"): Promise<string> {
  return grants.add({ key: of, term: "always", by });
}

function addPatterns(grants: GrantStore, ...patterns: EffectPattern[]): Promise<string> {
  return grants.add({ key, patterns, term: "always", by: "ada" });
}

/** What grants remember, and what they must not cover. */
export const grantCases: readonly ContractCase<GrantStore>[] = [
  {
    name: "find() knows no grant before one is added",
    async run(grants) {
      strictEqual(await grants.find(key), undefined);
      strictEqual(await grants.whyNot(key), undefined);
    },
  },
  {
    name: "find() covers the same call, whatever the order of the keys of its arguments",
    async run(grants) {
      const id = await addExact(grants);
      deepStrictEqual(await grants.find(key), [id]);
      const turned = { ...key, params: { options: { depth: 2, all: true }, command: "ls" } };
      deepStrictEqual(await grants.find(turned), [id]);
    },
  },
  {
    name: "find() passes over what was remembered for good where the rules no longer let an answer last so long",
    async run(grants) {
      await addExact(grants);
      strictEqual(await grants.find({ ...key, longest: "session" }), undefined);
      const forNow = await grants.add({ key, term: "session", by: "ada" });
      deepStrictEqual(await grants.find({ ...key, longest: "session" }), [forNow]);
    },
  },
  {
    name: "find() covers by patterns no call that wants an answer to exactly itself, and whyNot() says what there is",
    async run(grants) {
      const id = await addPatterns(grants, inData);
      const asked = asking([{ kind: "read", target: "/data/a", within: false }]);
      deepStrictEqual(await grants.find(asked), [id]);
      strictEqual(await grants.find({ ...asked, exactOnly: true }), undefined);
      ok(
        (await grants.whyNot({ ...asked, exactOnly: true }))?.includes("except files that may hold secrets"),
      );
      const exact = await addExact(grants, { ...asked, exactOnly: true });
      deepStrictEqual(await grants.find({ ...asked, exactOnly: true }), [exact]);
    },
  },
  {
    name: "find() covers by an exact grant no call that differs in anything",
    async run(grants) {
      await addExact(grants);
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
        { ...key, effects: [{ ...ls, kind: "read" }] },
        { ...key, effects: [{ ...ls, target: "ls /elsewhere" }] },
        { ...key, effects: [{ ...ls, opaque: true }] },
        { ...key, effects: [{ ...ls, confined: true }] },
        { ...key, effects: [{ ...ls, isolation: "none" }] },
        { ...key, allowedPaths: [] },
        { ...key, allowedPaths: ["/home/ada/other"] },
      ];
      for (const other of others) strictEqual(await grants.find(other), undefined);
    },
  },
  {
    name: "find() finds nothing that was remembered for calls of another user, exactly or by patterns",
    async run(grants) {
      const ofAda = { ...key, userId: "ada" };
      const id = await addExact(grants, ofAda);
      const wide = await grants.add({ key: ofAda, patterns: [npmTest], term: "always", by: "ada" });
      const call = commands("npm test -- --watch");
      deepStrictEqual(await grants.find(ofAda), [id]);
      deepStrictEqual(await grants.find({ ...call, userId: "ada" }), [wide]);
      for (const userId of ["bob", undefined]) {
        strictEqual(await grants.find({ ...key, userId }), undefined);
        strictEqual(await grants.find({ ...call, userId }), undefined);
      }
      const why = await grants.whyNot({ ...key, userId: "bob" });
      strictEqual(why, `the answer ${id} was for calls of another user`);
      // Who makes a call, and in which session, is a matter of a yes to one call.
      deepStrictEqual(await grants.find({ ...ofAda, caller: { principal: "mcp:x", session: "s_9" } }), [id]);
    },
  },
  {
    name: "find() takes no part of a key for a part of another",
    async run(grants) {
      await addExact(grants, { ...key, toolName: "a", toolVersion: "b" });
      strictEqual(await grants.find({ ...key, toolName: 'a","b', toolVersion: "" }), undefined);
      strictEqual(await grants.find({ ...key, toolName: "ab", toolVersion: "" }), undefined);
    },
  },
  {
    name: "find() covers by patterns each effect that asks, whatever the rest of the call is",
    async run(grants) {
      const id = await addPatterns(grants, npmTest);
      deepStrictEqual(await grants.find(commands("npm test")), [id]);
      deepStrictEqual(await grants.find(commands("npm test -- --watch")), [id]);
      deepStrictEqual(await grants.find({ ...commands("npm test"), session: "other" }), [id]);
      const within: Effect = { kind: "run", target: "ls", within: true };
      const mixed = commands("npm test -- a");
      deepStrictEqual(await grants.find({ ...mixed, effects: [...mixed.asked, within] }), [id]);
      strictEqual(await grants.find(commands("npm test", "npm publish")), undefined);
      strictEqual(await grants.find(commands("npm tests")), undefined);
      strictEqual(await grants.find(asking([])), undefined);
    },
  },
  {
    name: "find() covers by the patterns of several grants together, and counts each",
    async run(grants) {
      const ids = [await addPatterns(grants, npmTest), await addPatterns(grants, inData)];
      const found = await grants.find(
        asking([
          { kind: "run", target: "npm test", within: false },
          { kind: "read", target: "/data/a", within: false },
          { kind: "read", target: "/data/b", within: false },
        ]),
      );
      deepStrictEqual([...(found ?? [])].sort(), ids.sort());
      deepStrictEqual(
        (await grants.list()).map(({ uses }) => uses),
        [1, 1],
      );
    },
  },
  {
    name: "find() covers by patterns nothing opaque, risky, of another caller, version or scope",
    async run(grants) {
      await addPatterns(grants, npmTest);
      const call = commands("npm test");
      const [effect] = call.asked as [Effect];
      for (const other of [
        asking([{ ...effect, opaque: true }]),
        asking([{ ...effect, risk: "high risk" }]),
        asking([{ ...effect, target: "nmp test", aliases: ["npm test"] }]),
        { ...call, agentId: undefined },
        { ...call, toolVersion: "2" },
        { ...call, toolName: "other" },
        { ...call, scope: "local/sub" },
      ])
        strictEqual(await grants.find(other), undefined);
    },
  },
  {
    name: "find() covers commands by patterns in the same folders alone, and paths everywhere",
    async run(grants) {
      await addPatterns(grants, npmTest);
      const id = await addPatterns(grants, inData);
      const allowedPaths = ["/home/ada/other"];
      strictEqual(await grants.find({ ...commands("npm test"), allowedPaths }), undefined);
      const reading = asking([{ kind: "read", target: "/data/a", within: false }]);
      deepStrictEqual(await grants.find({ ...reading, allowedPaths }), [id]);
    },
  },
  {
    name: "find() takes a pattern literally",
    async run(grants) {
      await addPatterns(grants, { kind: "read", target: "/data/*", reach: "below" });
      const reading = (target: string) => grants.find(asking([{ kind: "read", target, within: false }]));
      ok((await reading("/data/*/a")) !== undefined);
      strictEqual(await reading("/data/x/a"), undefined);
    },
  },
  {
    name: "find() keeps a grant for a session to that session",
    async run(grants) {
      const mine = { ...key, session: "1" };
      const id = await grants.add({ key: mine, term: "session", by: "ada" });
      deepStrictEqual(await grants.find(mine), [id]);
      strictEqual(await grants.find({ ...key, session: "2" }), undefined);
      strictEqual(await grants.find(key), undefined);
      strictEqual(await grants.whyNot(key), `the answer ${id} was for another session`);
      const here = await grants.add({ key, term: "session", by: "ada" });
      deepStrictEqual(await grants.find(key), [here]);
      strictEqual(await grants.find({ ...key, session: "run" }), undefined);
    },
  },
  {
    name: "find() that peeks counts no use",
    async run(grants) {
      const id = await addExact(grants);
      deepStrictEqual(await grants.find(key, { peek: true }), [id]);
      strictEqual((await grants.list())[0]?.uses, 0);
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
        await rejects(addExact(grants, { ...key, params }), TypeError);
        strictEqual(await grants.find({ ...key, params }), undefined);
      }
      await addExact(grants, { ...key, params: {} });
      strictEqual(await grants.find({ ...key, params: new Map([["a", 1]]) }), undefined);
    },
  },
  {
    name: "add() refuses no patterns, too many, and a time that is none",
    async run(grants) {
      await rejects(addPatterns(grants), RangeError);
      const many = Array.from({ length: 21 }, (_, at): EffectPattern => ({ ...npmTest, target: `a ${at}` }));
      await rejects(addPatterns(grants, ...many), RangeError);
      for (const term of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
        await rejects(grants.add({ key, term, by: "ada" }), RangeError);
      deepStrictEqual(await grants.list(), []);
    },
  },
  {
    name: "add() of an answer that stands returns the grant there is, and one that lasts longer takes its place",
    async run(grants) {
      const hour = await grants.add({ key, term: 3_600_000, by: "ada" });
      strictEqual(await grants.add({ key, term: 60_000, by: "bob" }), hour);
      const always = await addExact(grants);
      notStrictEqual(always, hour);
      strictEqual(await addExact(grants, key, "bob"), always);
      strictEqual(await grants.add({ key, term: 60_000, by: "bob" }), always);
      deepStrictEqual(
        (await grants.list()).map(({ id }) => id),
        [always],
      );
    },
  },
  {
    name: "add() of one answer at once, many times, makes one grant",
    async run(grants) {
      const ids = await Promise.all(Array.from({ length: 20 }, () => addExact(grants)));
      strictEqual(new Set(ids).size, 1);
    },
  },
  {
    name: "list() says who gave a grant, what it covers and how often it was used",
    async run(grants) {
      const id = await addExact(grants);
      await grants.find(key);
      await grants.find(key);
      const wider = await addPatterns(grants, npmTest);
      const [one, another] = await grants.list();
      const exact = one?.id === id ? one : another;
      ok(exact !== undefined);
      const { createdAt, lastUsedAt, unusedAt, paramsText: _text, folder: _folder, ...rest } = exact;
      ok(lastUsedAt !== undefined && lastUsedAt >= createdAt);
      ok(unusedAt !== undefined && unusedAt > lastUsedAt);
      deepStrictEqual(rest, {
        id,
        state: "standing",
        scope: "local",
        agentId: "writer",
        userId: undefined,
        toolName: "bash",
        toolVersion: "1",
        patterns: undefined,
        term: "always",
        expiresAt: undefined,
        by: "ada",
        origin: undefined,
        project: undefined,
        uses: 2,
        revokedAt: undefined,
        revokedBy: undefined,
      });
      deepStrictEqual((await grants.list()).find((grant) => grant.id === wider)?.patterns, [npmTest]);
    },
  },
  {
    name: "list() says where the call came from that the answer was for",
    async run(grants) {
      const origin = { channel: "mcp", session: "s_1", client: { name: "a-client", version: "1.2" } };
      const asked = { origin: { ...origin, peer: {} }, project: "/home/ada/project" };
      await grants.add({ key, term: "always", by: "ada", ...asked });
      const [grant] = await grants.list();
      deepStrictEqual([grant?.origin, grant?.project], [origin, asked.project]);
    },
  },
  {
    name: "list() keeps to one scope",
    async run(grants) {
      const id = await addExact(grants);
      await addExact(grants, { ...key, scope: "local/sub" });
      deepStrictEqual(
        (await grants.list({ scope: "local" })).map((grant) => grant.id),
        [id],
      );
    },
  },
  {
    name: "revoke() ends a grant once, and a new answer is a new grant",
    async run(grants) {
      const id = await addExact(grants);
      strictEqual(await grants.revoke(id, "bob"), true);
      strictEqual(await grants.revoke(id, "bob"), false);
      strictEqual(await grants.revoke("g_0000000000", "bob"), false);
      strictEqual(await grants.find(key), undefined);
      deepStrictEqual(await grants.list(), []);
      const [revoked] = await grants.list({ includeEnded: true });
      deepStrictEqual([revoked?.state, revoked?.revokedBy], ["revoked", "bob"]);
      ok((await grants.whyNot(key))?.startsWith(`bob revoked the answer ${id} on 20`));
      notStrictEqual(await addExact(grants), id);
      strictEqual(await grants.whyNot({ ...key, params: {} }), undefined);
    },
  },
  {
    name: "revokeAll() ends all that stand, of one scope or of all",
    async run(grants) {
      await addExact(grants);
      await addPatterns(grants, npmTest);
      await addExact(grants, { ...key, scope: "local/sub" });
      strictEqual(await grants.revokeAll("bob", { scope: "local/sub" }), 1);
      strictEqual(await grants.revokeAll("bob"), 2);
      strictEqual(await grants.revokeAll("bob"), 0);
      strictEqual(await grants.find(key), undefined);
      strictEqual(await grants.find(commands("npm test")), undefined);
    },
  },
  {
    name: "list() gives no day of disuse to the yes to a project's own programs, whatever use it had",
    async run(grants) {
      const id = await addPatterns(grants, ownPrograms);
      const [effect] = commands("npm test").asked as [Effect];
      deepStrictEqual(await grants.find(asking([{ ...effect, project: true, confined: true }])), [id]);
      const beside = await addPatterns(grants, ownPrograms, npmTest);
      const ends = new Map((await grants.list()).map((grant) => [grant.id, grant.unusedAt]));
      strictEqual(ends.get(id), undefined);
      notStrictEqual(ends.get(beside), undefined);
    },
  },
  {
    name: "whyNot() says what changed: the version, the agent, the folder",
    async run(grants) {
      const exact = await addExact(grants);
      const versions = "bash was allowed for version 1, and this is version 2";
      strictEqual(await grants.whyNot({ ...key, toolVersion: "2" }), versions);
      strictEqual(
        await grants.whyNot({ ...key, agentId: undefined }),
        `the answer ${exact} was for calls of the agent writer, and this is one of no agent`,
      );
      const id = await addPatterns(grants, npmTest);
      strictEqual(await grants.whyNot({ ...commands("npm test"), toolVersion: "2" }), versions);
      strictEqual(
        await grants.whyNot({ ...commands("npm test"), allowedPaths: ["/other"] }),
        `the answer ${id} was for work in another folder`,
      );
    },
  },
  {
    name: "whyNot() says by how much a call misses what is covered",
    async run(grants) {
      const id = await addPatterns(grants, npmTest);
      const covered = `the answer ${id} is to run \`npm test\` with any arguments`;
      strictEqual(await grants.whyNot(commands("npm publish")), `${covered}, not to run \`npm publish\``);
      const [effect] = commands("npm test").asked as [Effect];
      strictEqual(
        await grants.whyNot(asking([{ ...effect, risk: "high risk: x" }])),
        `${covered}, and this is risky (high risk: x)`,
      );
      strictEqual(
        await grants.whyNot(asking([{ ...effect, opaque: true }])),
        `${covered}, and this can't be read before it runs`,
      );
      strictEqual(await grants.whyNot(commands("cargo publish")), undefined);
      strictEqual(await grants.whyNot({ ...commands("npm publish"), toolName: "other" }), undefined);
    },
  },
];

import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { Approval, ApprovalAnswer, CallKey } from "../kernel/index.ts";
import type { ApprovalStore } from "../modules/approvals/index.ts";
import type { ContractCase } from "./contract-case.ts";

const key: CallKey = {
  scope: "local",
  agentId: "writer",
  userId: "ada",
  caller: { principal: "mcp:alice", session: "s_1" },
  toolName: "bash",
  toolVersion: "1",
  params: { command: "npm test" },
  effects: [{ kind: "run", target: "npm test", within: false }],
  allowedPaths: ["/home/ada/project"],
};
const yes: ApprovalAnswer = { approved: true, by: "owner:ada" };
const no: ApprovalAnswer = { approved: false, by: "owner:ada", reason: "not today" };
const people: readonly string[] = ["owner:*", "mcp:alice"];
const never = new AbortController().signal;

let questions = 0;

function question(changes: Partial<Approval> = {}): Approval {
  const now = Date.now();
  return {
    id: `a_case_${questions++}`,
    callId: "c_1",
    toolName: "bash",
    toolTitle: "Run a command",
    toolVersion: "1",
    params: { command: "npm test" },
    effects: key.effects,
    folder: "/w/p",
    reason: "no rule allows it",
    offers: [
      {
        id: "exact",
        label: "exactly this call",
        covers: "this",
        leaves: "that",
        terms: ["session", "time"],
      },
    ],
    scope: "local",
    agentId: "writer",
    userId: "ada",
    origin: { channel: "mcp", session: "s_1", client: { name: "a-client", version: "1.2" } },
    project: "/w",
    approvers: people,
    createdAt: now,
    waitsUntil: now + 60_000,
    expiresAt: now + 600_000,
    ...changes,
  };
}

function failsWith(work: Promise<unknown>, code: string): Promise<void> {
  return rejects(work, { code });
}

/** What questions to people must do, whoever answers them wherever. */
export const approvalCases: readonly ContractCase<ApprovalStore>[] = [
  {
    name: "open() keeps a question as it was asked, for reading",
    async run(approvals) {
      const asked = question();
      const { digest, ...opened } = await approvals.open(asked, key);
      deepStrictEqual(opened, asked);
      ok(digest !== undefined && digest.length > 20);
      const kept = {
        ...asked,
        digest,
        state: "pending",
        reusable: true,
        answer: undefined,
        answeredAt: undefined,
        usedAt: undefined,
        usedBy: undefined,
      };
      deepStrictEqual(await approvals.get(asked.id), kept);
      const { params: _, digest: _digest, ...listed } = kept;
      deepStrictEqual(await approvals.list({ state: "pending", scope: "local" }), [listed]);
      deepStrictEqual(await approvals.list({ state: "used" }), []);
      deepStrictEqual(await approvals.list({ scope: "other" }), []);
      strictEqual(await approvals.get("a_none"), undefined);
    },
  },
  {
    name: "watched() is true while somebody watches who may answer",
    async run(approvals) {
      strictEqual(await approvals.watched(people), false);
      const endOne = await approvals.watch({ kind: "terminal", identity: "owner:ada" });
      const endOther = await approvals.watch({ kind: "console", identity: "owner:ada" });
      strictEqual(await approvals.watched(people), true);
      strictEqual(await approvals.watched(["mcp:alice"]), false);
      await endOne();
      strictEqual(await approvals.watched(people), true);
      await endOther();
      strictEqual(await approvals.watched(people), false);
    },
  },
  {
    name: "open() returns the question that waits already for the same call and the same people, and lengthens nothing",
    async run(approvals) {
      const first = await approvals.open(question(), key);
      const again = await approvals.open(question({ callId: "c_2", expiresAt: first.expiresAt + 1000 }), key);
      deepStrictEqual([again.id, again.expiresAt, again.callId], [first.id, first.expiresAt, "c_2"]);
      const others = [
        await approvals.open(question(), { ...key, params: { command: "npm publish" } }),
        await approvals.open(question({ approvers: ["mcp:bob"] }), key),
        await approvals.open(question({ userId: "bob" }), { ...key, userId: "bob" }),
        await approvals.open(question(), { ...key, caller: { session: "s_2" } }),
        await approvals.open(question(), undefined),
        await approvals.open(question(), undefined),
      ];
      strictEqual(new Set([first.id, ...others.map(({ id }) => id)]).size, 7);
      await approvals.answer(first.id, no);
      notStrictEqual((await approvals.open(question(), key)).id, first.id);
    },
  },
  {
    name: "open() of a question that waits already keeps the later time until which a call waits",
    async run(approvals) {
      const { id, waitsUntil = 0 } = await approvals.open(question(), key);
      for (const [wanted, kept] of [
        [waitsUntil + 1000, waitsUntil + 1000],
        [waitsUntil, waitsUntil + 1000],
        [undefined, waitsUntil + 1000],
      ]) {
        await approvals.open(question({ waitsUntil: wanted }), key);
        strictEqual((await approvals.get(id))?.waitsUntil, kept);
      }
    },
  },
  {
    name: "open() of one question at once, many times, keeps one",
    async run(approvals) {
      const opened = await Promise.all(Array.from({ length: 20 }, () => approvals.open(question(), key)));
      strictEqual(new Set(opened.map(({ id }) => id)).size, 1);
      strictEqual((await approvals.list()).length, 1);
    },
  },
  {
    name: "answer() is taken from the approvers alone",
    async run(approvals) {
      const { id } = await approvals.open(question(), key);
      for (const by of ["mcp:bob", "mcp:alice2", "xowner:ada", "owner:a/b", "", "OWNER:ada"]) {
        await failsWith(approvals.answer(id, { approved: true, by }), "APPROVAL_NOT_YOURS");
        await failsWith(approvals.answer(id, { approved: false, by }), "APPROVAL_NOT_YOURS");
      }
      await approvals.answer(id, { approved: true, by: "mcp:alice" });
      strictEqual((await approvals.get(id))?.state, "approved");
      const nobody = await approvals.open(question({ approvers: [] }), undefined);
      await failsWith(approvals.answer(nobody.id, yes), "APPROVAL_NOT_YOURS");
    },
  },
  {
    name: "answer() is taken once",
    async run(approvals) {
      const { id } = await approvals.open(question(), key);
      await approvals.answer(id, no);
      await failsWith(approvals.answer(id, yes), "APPROVAL_ANSWERED");
      const kept = await approvals.get(id);
      deepStrictEqual([kept?.state, kept?.answer], ["denied", no]);
      await failsWith(approvals.answer("a_none", yes), "APPROVAL_NOT_FOUND");
    },
  },
  {
    name: "answer() at once by many is taken from one of them",
    async run(approvals) {
      const { id } = await approvals.open(question(), key);
      const answers = Array.from(
        { length: 20 },
        (_, at): ApprovalAnswer => ({ approved: at % 2 === 0, by: `owner:${at}` }),
      );
      const taken = await Promise.allSettled(answers.map((answer) => approvals.answer(id, answer)));
      const winners = answers.filter((_, at) => taken[at]?.status === "fulfilled");
      strictEqual(winners.length, 1);
      deepStrictEqual((await approvals.get(id))?.answer, winners[0]);
    },
  },
  {
    name: "answer() after the question expired is refused, and nothing can be claimed by it",
    async run(approvals) {
      const past = { createdAt: Date.now() - 2000, expiresAt: Date.now() - 1000 };
      const { id } = await approvals.open(question(past), key);
      await failsWith(approvals.answer(id, yes), "APPROVAL_EXPIRED");
      strictEqual(await approvals.claim(id, "c_1"), false);
      strictEqual(await approvals.find(key, people), undefined);
      await failsWith(approvals.answered(id, never), "APPROVAL_EXPIRED");
      deepStrictEqual(
        (await approvals.list({ state: "expired" })).map((one) => [one.id, one.state]),
        [[id, "expired"]],
      );
      deepStrictEqual(await approvals.list({ state: "pending" }), []);
      notStrictEqual((await approvals.open(question(), key)).id, id);
    },
  },
  {
    name: "answer() takes only a remembrance that was offered",
    async run(approvals) {
      const { id } = await approvals.open(question(), key);
      const remembering = (offer: string, term: "session" | "always" | number) =>
        approvals.answer(id, { ...yes, remember: { offer, term } });
      await failsWith(remembering("wider", "session"), "APPROVAL_NOT_OFFERED");
      await failsWith(remembering("exact", "always"), "APPROVAL_NOT_OFFERED");
      await failsWith(remembering("exact", Number.POSITIVE_INFINITY), "APPROVAL_NOT_OFFERED");
      await failsWith(remembering("exact", -1), "APPROVAL_NOT_OFFERED");
      await remembering("exact", 60_000);
      deepStrictEqual((await approvals.find(key, people))?.answer, {
        ...yes,
        remember: { offer: "exact", term: 60_000 },
      });
    },
  },
  {
    name: "answer() takes no yes to anything but what was shown",
    async run(approvals) {
      const { id, digest } = await approvals.open(question(), key);
      const other = await approvals.open(question({ reason: "a rule says to ask" }), undefined);
      notStrictEqual(other.digest, digest);
      for (const shown of [other.digest, "", `${digest}0`])
        if (shown !== undefined) await failsWith(approvals.answer(id, { ...yes, shown }), "APPROVAL_CHANGED");
      strictEqual((await approvals.get(id))?.state, "pending");
      strictEqual((await approvals.get(id))?.digest, digest);
      const joined = await approvals.open(question({ reason: "asked again" }), key);
      deepStrictEqual([joined.digest, joined.reason], [digest, "no rule allows it"]);
      ok(digest !== undefined);
      await approvals.answer(id, { ...yes, shown: digest });
      deepStrictEqual((await approvals.get(id))?.answer, yes);
    },
  },
  {
    name: "answered() resolves with the answer, for those who waited and those who come later",
    async run(approvals) {
      const { id } = await approvals.open(question(), key);
      const waiting = [approvals.answered(id, never), approvals.answered(id, never)];
      await approvals.answer(id, no);
      deepStrictEqual(await Promise.all(waiting), [no, no]);
      deepStrictEqual(await approvals.answered(id, never), no);
    },
  },
  {
    name: "answered() rejects with the reason of its signal, and for a question that is not there",
    async run(approvals) {
      const { id } = await approvals.open(question(), key);
      const left = new AbortController();
      const waiting = approvals.answered(id, left.signal);
      const others = approvals.answered(id, never);
      left.abort(new Error("left"));
      await rejects(waiting, { message: "left" });
      await rejects(approvals.answered(id, left.signal), { message: "left" });
      await failsWith(approvals.answered("a_none", never), "APPROVAL_NOT_FOUND");
      await approvals.answer(id, yes);
      deepStrictEqual(await others, yes);
    },
  },
  {
    name: "claim() uses a yes up: true once, whoever tries",
    async run(approvals) {
      const { id } = await approvals.open(question(), key);
      strictEqual(await approvals.claim(id, "c_1"), false);
      await approvals.answer(id, yes);
      const claims = await Promise.all(Array.from({ length: 20 }, (_, at) => approvals.claim(id, `c_${at}`)));
      strictEqual(claims.filter(Boolean).length, 1);
      const kept = await approvals.get(id);
      deepStrictEqual([kept?.state, kept?.usedBy], ["used", `c_${claims.indexOf(true)}`]);
      deepStrictEqual(kept?.answer, yes);
      strictEqual(await approvals.find(key, people), undefined);
      await failsWith(approvals.answer(id, yes), "APPROVAL_ANSWERED");
      deepStrictEqual(await approvals.answered(id, never), yes);
    },
  },
  {
    name: "claim() is false for a no, for a question that is not there, and without a key for another call",
    async run(approvals) {
      const denied = await approvals.open(question(), key);
      await approvals.answer(denied.id, no);
      strictEqual(await approvals.claim(denied.id, "c_1"), false);
      strictEqual(await approvals.claim("a_none", "c_1"), false);
      const keyless = await approvals.open(question({ callId: "c_7" }), undefined);
      await approvals.answer(keyless.id, yes);
      strictEqual(await approvals.claim(keyless.id, "c_8"), false);
      strictEqual(await approvals.claim(keyless.id, "c_7"), true);
    },
  },
  {
    name: "find() finds the yes to exactly this call, and to no call that differs in anything",
    async run(approvals) {
      const { id, offers } = await approvals.open(question(), key);
      strictEqual(await approvals.find(key, people), undefined);
      await approvals.answer(id, yes);
      deepStrictEqual(await approvals.find(key, people), { id, answer: yes, offers });
      const [effect] = key.effects;
      const others: CallKey[] = [
        { ...key, scope: "local/sub" },
        { ...key, agentId: undefined },
        { ...key, userId: "bob" },
        { ...key, userId: undefined },
        { ...key, caller: { principal: "mcp:alice", session: "s_2" } },
        { ...key, caller: { principal: "mcp:bob", session: "s_1" } },
        { ...key, caller: undefined },
        { ...key, toolName: "bash2" },
        { ...key, toolVersion: "2" },
        { ...key, params: { command: "npm test " } },
        { ...key, params: { command: "npm test", cwd: "/" } },
        { ...key, params: new Map([["command", "npm test"]]) },
        { ...key, effects: [] },
        { ...key, effects: [{ kind: "run", target: "npm test", within: true }] },
        { ...key, effects: [{ kind: "run", target: "npm test", within: false, ...effect, confined: true }] },
        { ...key, allowedPaths: ["/home/ada/other"] },
        { ...key, allowedPaths: [...key.allowedPaths, "/"] },
      ];
      for (const other of others) strictEqual(await approvals.find(other, people), undefined);
    },
  },
  {
    name: "find() finds a yes only by one who may answer this call's question too",
    async run(approvals) {
      const { id } = await approvals.open(question(), key);
      await approvals.answer(id, { approved: true, by: "mcp:alice" });
      for (const others of [["owner:*", "mcp:bob"], ["owner:*"], ["mcp:alice2"], []])
        strictEqual(await approvals.find(key, others), undefined);
      strictEqual((await approvals.find(key, people))?.id, id);
      const later = await approvals.open(question(), key);
      await approvals.answer(later.id, yes);
      strictEqual((await approvals.find(key, ["owner:*", "mcp:bob"]))?.id, later.id);
    },
  },
  {
    name: "leave() says of a question that no call waits for it any more, and leaves it to be answered",
    async run(approvals) {
      const asked = await approvals.open(question(), key);
      await approvals.leave(asked);
      const kept = await approvals.get(asked.id);
      strictEqual(kept?.state, "pending");
      ok((kept?.waitsUntil ?? Number.POSITIVE_INFINITY) <= Date.now());
      await approvals.answer(asked.id, yes);
      strictEqual((await approvals.find(key, people))?.id, asked.id);
    },
  },
  {
    name: "leave() changes nothing where another call waits too, or the question is answered",
    async run(approvals) {
      const asked = await approvals.open(question(), key);
      const { waitsUntil = 0 } = asked;
      const joined = await approvals.open(question({ callId: "c_2", waitsUntil: waitsUntil + 1000 }), key);
      await approvals.leave(joined);
      await approvals.leave(asked);
      strictEqual((await approvals.get(asked.id))?.waitsUntil, waitsUntil + 1000);
      const answered = await approvals.open(question(), undefined);
      await approvals.answer(answered.id, yes);
      await approvals.leave(answered);
      strictEqual((await approvals.get(answered.id))?.state, "approved");
    },
  },
  {
    name: "leave() ends a question whose answer no other call could use",
    async run(approvals) {
      const asked = await approvals.open(question(), undefined);
      await approvals.leave(asked);
      await failsWith(approvals.answer(asked.id, yes), "APPROVAL_EXPIRED");
    },
  },
  {
    name: "find() finds no answer to arguments that are not plain JSON",
    async run(approvals) {
      const odd = { ...key, params: new Map([["a", 1]]) };
      const { id } = await approvals.open(question(), odd);
      await approvals.answer(id, yes);
      strictEqual(await approvals.find(odd, people), undefined);
      strictEqual(await approvals.find({ ...key, params: {} }, people), undefined);
    },
  },
  {
    name: "open() refuses the thousand-and-first question that waits in one scope",
    async run(approvals) {
      for (let at = 0; at < 1000; at++) await approvals.open(question(), { ...key, params: { at } });
      await failsWith(approvals.open(question(), key), "APPROVAL_FULL");
      strictEqual((await approvals.open(question(), { ...key, params: { at: 7 } })).scope, "local");
      await approvals.open(question({ scope: "other" }), { ...key, scope: "other" });
    },
  },
];

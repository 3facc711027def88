import { deepStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type {
  ClaimedRun,
  EntryContent,
  EntryQuery,
  NewEntry,
  NewMessage,
  Runs,
  Session,
  Sessions,
} from "../modules/sessions/index.ts";
import type { ContractCase } from "./contract-case.ts";

/** What keeps conversations, and the runs in them. */
export interface SessionSubject {
  readonly sessions: Sessions;
  readonly runs: Runs;
}

const scope = "local";
const chat = { scope, agentId: "main", channel: "terminal" };
const leaseMs = 60_000;
const say = (text: string): NewEntry => ({ kind: "user", parts: [{ type: "text", text }] });
const note = (text: string): NewEntry => ({ kind: "note", about: "time", text });

async function begin({ sessions, runs }: SessionSubject): Promise<{ session: Session; run: ClaimedRun }> {
  const session = await sessions.open(chat);
  const { id } = await runs.begin({ scope, kind: "turn", sessionId: session.id });
  return { session, run: await claim(runs, id) };
}

async function claim(runs: Runs, id: string, forMs = leaseMs): Promise<ClaimedRun> {
  const claimed = await runs.claim(scope, id, forMs);
  ok(claimed, `the run "${id}" can't be had`);
  return claimed;
}

function message(sessionId: string, text: string, part: Partial<NewMessage> = {}): NewMessage {
  return { scope, sessionId, sender: "ada", parts: [{ type: "text", text }], ...part };
}

const isCode = (code: string) => (error: unknown) =>
  error instanceof Error && "code" in error && error.code === code;

const readTexts = (entries: readonly EntryContent[]) =>
  entries.map((entry) => ("text" in entry ? entry.text : entry.kind));

/** What every implementation of {@link Sessions} and {@link Runs} keeps, by the clock of the machine. */
export const sessionCases: readonly ContractCase<SessionSubject>[] = [
  {
    name: "open() gives an agent one session at an address, and each call without an address one of its own",
    async run({ sessions }) {
      const first = await sessions.open({ ...chat, address: "tty1", title: "Tea" });
      const again = await sessions.open({ ...chat, address: "tty1", title: "Coffee" });
      deepStrictEqual(again, first);
      const others = [
        await sessions.open({ ...chat, address: "tty2" }),
        await sessions.open({ ...chat, address: "tty1", agentId: "other" }),
        await sessions.open({ ...chat, address: "tty1", channel: "web" }),
        await sessions.open({ ...chat, address: "tty1", scope: "other" }),
        await sessions.open(chat),
        await sessions.open(chat),
      ];
      strictEqual(new Set([first.id, ...others.map(({ id }) => id)]).size, 7);
      deepStrictEqual([first.title, first.epoch, first.lastSeq, first.trust], ["Tea", 0, 0, "trusted"]);
    },
  },
  {
    name: "list() finds the sessions at an address",
    async run({ sessions }) {
      const first = await sessions.open({ ...chat, address: "tty1" });
      const other = await sessions.open({ ...chat, address: "tty1", agentId: "other" });
      await sessions.open({ ...chat, address: "tty2" });
      const found = await sessions.list({ scope, channel: "terminal", address: "tty1" });
      deepStrictEqual(found.map(({ id }) => id).sort(), [first.id, other.id].sort());
      const query = { scope, agentId: "other", address: "tty1" };
      deepStrictEqual(await sessions.list(query), [other]);
      deepStrictEqual(await sessions.list({ scope, channel: "web", address: "tty1" }), []);
    },
  },
  {
    name: "open() many times at once gives one session",
    async run({ sessions }) {
      const opened = await Promise.all(
        Array.from({ length: 20 }, () => sessions.open({ ...chat, address: "a" })),
      );
      strictEqual(new Set(opened.map(({ id }) => id)).size, 1);
    },
  },
  {
    name: "write() numbers the entries of a session from 1 without a gap, and entries() gives them back as they were",
    async run(subject) {
      const { session, run } = await begin(subject);
      const answer: NewEntry = {
        kind: "answer",
        step: 1,
        model: "test/scripted",
        stop: "calls",
        message: {
          role: "assistant",
          parts: [
            { type: "reasoning", text: "…", opaque: { model: "test/scripted", data: { signature: "x" } } },
            { type: "call", id: "c1", name: "read", input: '{"path": "a' },
          ],
        },
      };
      await subject.runs.write(run, { entries: [say("Hello"), answer] });
      const result: NewEntry = {
        kind: "result",
        callId: `${run.id}.1.1`,
        name: "read",
        text: "ä\u2028💡",
        failed: false,
        tokens: 7,
        trust: "untrusted",
        private: true,
      };
      const written = await subject.runs.write(run, { entries: [result] });
      const entries = await subject.sessions.entries(scope, session.id);
      deepStrictEqual(
        entries.map(({ seq, runId, kind }) => [seq, runId, kind]),
        [
          [1, run.id, "user"],
          [2, run.id, "answer"],
          [3, run.id, "result"],
        ],
      );
      deepStrictEqual(entries.slice(2), written);
      const { seq: _seq, epoch: _epoch, runId: _run, at: _at, ...facts } = entries[2] ?? {};
      deepStrictEqual(facts, result);
      ok(entries[1]?.kind === "answer");
      deepStrictEqual(entries[1].message, answer.kind === "answer" && answer.message);
      const changed = await subject.sessions.get(scope, session.id);
      deepStrictEqual([changed?.lastSeq, changed?.trust], [3, "untrusted"]);
    },
  },
  {
    name: "write() begins an epoch with the entries of the same change, and keeps its prefix",
    async run(subject) {
      const { session, run } = await begin(subject);
      const prefix = { system: ["Be brief."], tools: [] };
      await subject.runs.write(run, { prefix, entries: [say("one")] });
      await subject.runs.write(run, { entries: [note("two")] });
      await subject.runs.write(run, { prefix: "later", entries: [note("three")] });
      deepStrictEqual(
        (await subject.sessions.entries(scope, session.id)).map(({ epoch }) => epoch),
        [1, 1, 2],
      );
      deepStrictEqual((await subject.sessions.epoch(scope, session.id, 1))?.prefix, prefix);
      deepStrictEqual((await subject.sessions.epoch(scope, session.id, 2))?.prefix, "later");
      strictEqual(await subject.sessions.epoch(scope, session.id, 3), undefined);
      deepStrictEqual(readTexts(await subject.sessions.entries(scope, session.id, { epoch: 2 })), ["three"]);
      deepStrictEqual(readTexts(await subject.sessions.entries(scope, session.id, { after: 1, limit: 1 })), [
        "two",
      ]);
      const texts = async (query: EntryQuery) =>
        readTexts(await subject.sessions.entries(scope, session.id, query));
      deepStrictEqual(await texts({ newest: 2 }), ["two", "three"]);
      deepStrictEqual(await texts({ kind: "note" }), ["two", "three"]);
      const [said] = await subject.sessions.entries(scope, session.id, { kind: "user", newest: 1 });
      deepStrictEqual(said?.kind === "user" && said.parts, [{ type: "text", text: "one" }]);
    },
  },
  {
    name: "write() refuses a second result of a call, and then writes nothing of the change",
    async run(subject) {
      const { session, run } = await begin(subject);
      const result: NewEntry = { kind: "result", callId: "x.1.1", name: "read", text: "a", failed: false };
      await subject.runs.write(run, { entries: [result] });
      await rejects(
        subject.runs.write(run, { entries: [note("before"), result], run: { state: "completed" } }),
      );
      deepStrictEqual(readTexts(await subject.sessions.entries(scope, session.id)), ["a"]);
      strictEqual((await subject.runs.get(scope, run.id))?.state, "running");
    },
  },
  {
    name: "write() refuses an entry of more than 8,000,000 characters",
    async run(subject) {
      const { session, run } = await begin(subject);
      await rejects(subject.runs.write(run, { entries: [say("x".repeat(8_000_000))] }), RangeError);
      deepStrictEqual(await subject.sessions.entries(scope, session.id), []);
    },
  },
  {
    name: "claim() gives a run to one of many who ask, and another run of its session to nobody meanwhile",
    async run({ sessions, runs }) {
      const { id: sessionId } = await sessions.open(chat);
      const { id } = await runs.begin({ scope, kind: "turn", sessionId });
      const other = await runs.begin({ scope, kind: "turn", sessionId });
      const claimed = await Promise.all(Array.from({ length: 10 }, () => runs.claim(scope, id, leaseMs)));
      const [mine, ...more] = claimed.filter((run) => run !== undefined);
      ok(mine !== undefined && more.length === 0);
      strictEqual(mine.state, "running");
      strictEqual(await runs.claim(scope, other.id, leaseMs), undefined);
      await runs.write(mine, { run: { state: "completed", result: "done" } });
      strictEqual((await runs.claim(scope, other.id, leaseMs))?.id, other.id);
    },
  },
  {
    name: "claim() takes over a run whose lease has ended, and write() of the one who had it is refused",
    async run(subject) {
      const { sessions, runs } = subject;
      const { id: sessionId } = await sessions.open(chat);
      const { id } = await runs.begin({ scope, kind: "turn", sessionId });
      const slept = await claim(runs, id, 0);
      await runs.write(slept, { entries: [note("while nobody else has it")] });
      const taken = await claim(runs, id);
      await rejects(runs.write(slept, { entries: [note("too late")] }), isCode("RUN_LOST"));
      strictEqual(await runs.renew(slept, leaseMs), false);
      strictEqual(await runs.renew(taken, leaseMs), true);
      await runs.write(taken, { entries: [note("mine")] });
      deepStrictEqual(readTexts(await sessions.entries(scope, sessionId)), [
        "while nobody else has it",
        "mine",
      ]);
    },
  },
  {
    name: "claim() of one run of a session takes every other from whoever drove it before",
    async run({ sessions, runs }) {
      const { id: sessionId } = await sessions.open(chat);
      const first = await runs.begin({ scope, kind: "turn", sessionId });
      const second = await runs.begin({ scope, kind: "turn", sessionId });
      const slept = await claim(runs, first.id, 0);
      const posted = await sessions.post(message(sessionId, "pay once"));
      ok(posted);
      const taken = await claim(runs, second.id);
      await runs.write(taken, { entries: [say("pay once")], taken: [posted.id] });
      strictEqual(await runs.renew(slept, leaseMs), false);
      await rejects(
        runs.write(slept, { entries: [say("pay once")], taken: [posted.id] }),
        isCode("RUN_LOST"),
      );
      strictEqual(await runs.claim(scope, first.id, leaseMs), undefined);
      await rejects(runs.write(taken, { entries: [say("pay once")], taken: [posted.id] }), RangeError);
      strictEqual((await sessions.entries(scope, sessionId)).length, 1);
    },
  },
  {
    name: "post() refuses a message of more than 8,000,000 characters",
    async run({ sessions }) {
      const { id } = await sessions.open(chat);
      await rejects(sessions.post(message(id, "x".repeat(8_000_000))), RangeError);
      deepStrictEqual(await sessions.waiting(scope, id), []);
    },
  },
  {
    name: "release() gives a run to whoever claims it next, and nothing back that was lost",
    async run(subject) {
      const { run } = await begin(subject);
      await subject.runs.release(run);
      const next = await claim(subject.runs, run.id);
      await subject.runs.release(run);
      strictEqual(await subject.runs.claim(scope, run.id, leaseMs), undefined);
      await rejects(subject.runs.write(run, { entries: [note("late")] }), isCode("RUN_LOST"));
      await subject.runs.write(next, { entries: [note("mine")] });
    },
  },
  {
    name: "write() of a state that is not running gives the run back, with the reason until it is claimed again",
    async run(subject) {
      const { run } = await begin(subject);
      await subject.runs.write(run, {
        run: { state: "parked", why: "approval", waitFor: "approval:a_1", steps: 3 },
      });
      const parked = await subject.runs.get(scope, run.id);
      deepStrictEqual(
        [parked?.state, parked?.why, parked?.waitFor, parked?.steps, parked?.leaseUntil],
        ["parked", "approval", "approval:a_1", 3, undefined],
      );
      await rejects(subject.runs.write(run, { entries: [note("no more")] }), isCode("RUN_LOST"));
      const again = await claim(subject.runs, run.id);
      deepStrictEqual([again.why, again.waitFor, again.steps], [undefined, undefined, 3]);
      await subject.runs.write(again, { run: { state: "completed", result: "done" } });
      const ended = await subject.runs.get(scope, run.id);
      deepStrictEqual([ended?.state, ended?.result], ["completed", "done"]);
      ok(ended?.endedAt !== undefined);
      strictEqual(await subject.runs.claim(scope, run.id, leaseMs), undefined);
    },
  },
  {
    name: "write() keeps what is waited for: by a call, and by the run itself; begin() keeps the run's folder",
    async run({ sessions, runs }) {
      const { id: sessionId } = await sessions.open(chat);
      const { id } = await runs.begin({ scope, kind: "turn", sessionId, project: "/home/ada/shop" });
      const run = await claim(runs, id);
      strictEqual(run.project, "/home/ada/shop");
      await runs.write(run, {
        entries: [
          { kind: "parked", callId: `${id}.1.1`, waitFor: "approval:a_1" },
          { kind: "parked", waitFor: "time:5" },
        ],
      });
      const kept = await sessions.entries(scope, sessionId);
      deepStrictEqual(
        kept.map((entry) => entry.kind === "parked" && [entry.callId, entry.waitFor]),
        [
          [`${id}.1.1`, "approval:a_1"],
          [undefined, "time:5"],
        ],
      );
    },
  },
  {
    name: "begin() counts a run that another began to the outermost one",
    async run({ sessions, runs }) {
      const { id: sessionId } = await sessions.open(chat);
      const root = await runs.begin({ scope, kind: "turn", sessionId });
      const child = await runs.begin({ scope, kind: "task", sessionId, parentId: root.id, settings: [1] });
      const grandchild = await runs.begin({ scope, kind: "task", sessionId, parentId: child.id });
      deepStrictEqual(
        [root, child, grandchild].map(({ rootId, depth, settings }) => [rootId, depth, settings]),
        [
          [root.id, 0, null],
          [root.id, 1, [1]],
          [root.id, 2, null],
        ],
      );
      strictEqual((await runs.list({ scope, rootId: root.id })).length, 3);
      await rejects(
        runs.begin({ scope, kind: "task", sessionId, parentId: "run_none" }),
        isCode("SESSION_NOT_FOUND"),
      );
      await rejects(runs.begin({ scope, kind: "turn", sessionId: "s_none" }), isCode("SESSION_NOT_FOUND"));
    },
  },
  {
    name: "stop() ends a run that no process has, and no other",
    async run(subject) {
      const { run } = await begin(subject);
      strictEqual(await subject.runs.stop(scope, run.id, "user"), false);
      await subject.runs.write(run, { run: { state: "paused", why: "budget" } });
      strictEqual(await subject.runs.stop(scope, run.id, "user"), true);
      const stopped = await subject.runs.get(scope, run.id);
      deepStrictEqual([stopped?.state, stopped?.why], ["stopped", "user"]);
      strictEqual(await subject.runs.stop(scope, run.id, "user"), false);
      deepStrictEqual(await subject.runs.list({ scope, states: ["stopped"] }), [stopped]);
      deepStrictEqual(await subject.runs.list({ scope, states: [] }), []);
    },
  },
  {
    name: "post() keeps a message of a channel once, until a run takes it",
    async run(subject) {
      const { session, run } = await begin(subject);
      const external = { channel: "telegram", id: "7" };
      const first = await subject.sessions.post(message(session.id, "one", { external, trust: "untrusted" }));
      ok(first);
      strictEqual(await subject.sessions.post(message(session.id, "one again", { external })), undefined);
      const second = await subject.sessions.post(message(session.id, "two", { how: "queue" }));
      ok(second);
      const waiting = await subject.sessions.waiting(scope, session.id);
      deepStrictEqual(waiting, [first, second]);
      deepStrictEqual([first.how, first.trust, second.how], ["steer", "untrusted", "queue"]);
      const entries = [say("one")];
      await subject.runs.write(run, { entries, taken: [first.id] });
      deepStrictEqual(await subject.sessions.waiting(scope, session.id), [second]);
      strictEqual(await subject.sessions.post(message(session.id, "one, late", { external })), undefined);
      await rejects(subject.sessions.post(message("s_none", "x")), isCode("SESSION_NOT_FOUND"));
    },
  },
  {
    name: "fork() copies a session up to an entry; the copy goes its own way",
    async run(subject) {
      const { session, run } = await begin(subject);
      await subject.runs.write(run, { prefix: 1, entries: [say("a"), { ...note("b"), trust: "untrusted" }] });
      await subject.runs.write(run, { prefix: 2, entries: [note("c")] });
      const copy = await subject.sessions.fork(scope, session.id, { upTo: 1, channel: "elsewhere" });
      ok(copy);
      deepStrictEqual([copy.lastSeq, copy.epoch, copy.trust, copy.channel], [1, 1, "trusted", "elsewhere"]);
      deepStrictEqual((await subject.sessions.epoch(scope, copy.id, 1))?.prefix, 1);
      strictEqual(await subject.sessions.epoch(scope, copy.id, 2), undefined);
      const { id } = await subject.runs.begin({ scope, kind: "turn", sessionId: copy.id });
      await subject.runs.write(await claim(subject.runs, id), { entries: [note("d")] });
      deepStrictEqual(readTexts(await subject.sessions.entries(scope, copy.id)), ["user", "d"]);
      deepStrictEqual(readTexts(await subject.sessions.entries(scope, session.id)), ["user", "b", "c"]);
      const whole = await subject.sessions.fork(scope, session.id);
      deepStrictEqual([whole?.lastSeq, whole?.epoch, whole?.trust], [3, 2, "untrusted"]);
      strictEqual(whole?.channel, session.channel);
      strictEqual(await subject.sessions.fork(scope, "s_none"), undefined);
    },
  },
  {
    name: "entries() gives those of one kind or of one run alone where it is asked to",
    async run(subject) {
      const { session, run } = await begin(subject);
      await subject.runs.write(run, { entries: [say("a"), note("b"), say("c"), note("d")] });
      const said = (query: EntryQuery) => subject.sessions.entries(scope, session.id, query);
      deepStrictEqual(
        (await said({ kind: "user" })).map(({ seq }) => seq),
        [1, 3],
      );
      deepStrictEqual(
        (await said({ kind: "note", after: 2 })).map(({ seq }) => seq),
        [4],
      );
      await subject.runs.write(run, { run: { state: "completed" } });
      const { id: next } = await subject.runs.begin({ scope, kind: "turn", sessionId: session.id });
      await subject.runs.write(await claim(subject.runs, next), { entries: [say("e")] });
      deepStrictEqual(
        (await said({ runId: next })).map(({ seq }) => seq),
        [5],
      );
      strictEqual((await said({ runId: run.id, kind: "user" })).length, 2);
    },
  },
  {
    name: "shown() leaves out what the newest summary stands for",
    async run(subject) {
      const { session, run } = await begin(subject);
      const { runs, sessions } = subject;
      const shown = async () => readTexts(await sessions.shown(scope, session.id));
      await runs.write(run, { entries: [note("1"), note("2"), note("3")] });
      deepStrictEqual(await shown(), ["1", "2", "3"]);
      await runs.write(run, { entries: [{ kind: "summary", text: "1 and 2", keptFrom: 3, attempt: 1 }] });
      await runs.write(run, { entries: [note("5")] });
      deepStrictEqual(await shown(), ["1 and 2", "3", "5"]);
      await runs.write(run, { entries: [{ kind: "summary", text: "all", keptFrom: 6, attempt: 1 }] });
      deepStrictEqual(await shown(), ["all"]);
      const copy = await sessions.fork(scope, session.id, { upTo: 5 });
      deepStrictEqual(readTexts(await sessions.shown(scope, copy?.id ?? "")), ["1 and 2", "3", "5"]);
    },
  },
  {
    name: "shown() leaves out an earlier summary, though the newest keeps entries from before it",
    async run(subject) {
      const { session, run } = await begin(subject);
      const { runs, sessions } = subject;
      const shown = async () => readTexts(await sessions.shown(scope, session.id));
      await runs.write(run, { entries: [note("1"), note("2"), note("3")] });
      await runs.write(run, { entries: [{ kind: "summary", text: "only 1", keptFrom: 2, attempt: 1 }] });
      await runs.write(run, { entries: [note("5")] });
      await runs.write(run, { entries: [{ kind: "summary", text: "1 and 2", keptFrom: 3, attempt: 2 }] });
      deepStrictEqual(await shown(), ["1 and 2", "3", "5"]);
    },
  },
  {
    name: "delete() takes a session with all that is in it, unless a process has a run of it",
    async run(subject) {
      const { session, run } = await begin(subject);
      const other = await subject.sessions.open(chat);
      await subject.runs.write(run, { prefix: 1, entries: [say("a")] });
      await subject.sessions.post(message(session.id, "b"));
      await rejects(subject.sessions.delete(scope, session.id), isCode("SESSION_BUSY"));
      await subject.runs.write(run, { run: { state: "completed" } });
      strictEqual(await subject.sessions.delete(scope, session.id), true);
      strictEqual(await subject.sessions.delete(scope, session.id), false);
      deepStrictEqual(await subject.sessions.entries(scope, session.id), []);
      deepStrictEqual(await subject.sessions.waiting(scope, session.id), []);
      strictEqual(await subject.sessions.epoch(scope, session.id, 1), undefined);
      strictEqual(await subject.runs.get(scope, run.id), undefined);
      deepStrictEqual(await subject.sessions.list({ scope }), [other]);
    },
  },
  {
    name: "list() gives the sessions of a scope, the one that changed last first; rename() names one",
    async run({ sessions }) {
      const first = await sessions.open(chat);
      await sessions.open({ ...chat, scope: "other" });
      const second = await sessions.open({ ...chat, agentId: "other", channel: "web" });
      strictEqual(await sessions.rename(scope, first.id, "Tea"), true);
      strictEqual(await sessions.rename("other", first.id, "Tea"), false);
      const ids = (found: readonly Session[]) => found.map(({ id }) => id).toSorted();
      deepStrictEqual(ids(await sessions.list({ scope })), [first.id, second.id].toSorted());
      deepStrictEqual(await sessions.list({ scope, agentId: "other" }), [second]);
      deepStrictEqual(await sessions.list({ scope, channel: "web" }), [second]);
      deepStrictEqual(ids(await sessions.list({ scope, exceptChannels: ["web", "none"] })), [first.id]);
      deepStrictEqual(await sessions.list({ scope, address: second.address }), [second]);
      strictEqual((await sessions.get(scope, first.id))?.title, "Tea");
      strictEqual((await sessions.list({ scope, limit: 1 })).length, 1);
    },
  },
];

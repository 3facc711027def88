import { deepStrictEqual, notStrictEqual, ok, rejects, strictEqual } from "node:assert/strict";
import type { LedgerCall, LedgerOutcome } from "../../kernel/index.ts";
import type { CallRecord, LedgerStore, VersionOutcomes } from "../../modules/ledger/index.ts";
import type { ContractCase } from "../contract-case.ts";
import { erasureCases } from "./erasure-cases.ts";
import { keptOutcomeCases } from "./kept-outcome-cases.ts";
import { call, failure, outcome } from "./ledger-samples.ts";

/** The digest of the sample's arguments: SHA-256 of `{"content":"secret","path":"/tmp/a"}`. */
const paramsDigest = "f12f654f19825d78adfbfdd8c9a160c5a7ff2a222023437066d57dc495855b9c";

/** SHA-256 of `wrote 6 bytes`. */
const resultDigest = "461793c9bd30783463b411f92dc525f5c53b6f805caac79d8288d863ef61e2e9";

const recorded = {
  seq: 1,
  callId: "c_1",
  toolName: "write_file",
  toolVersion: "2",
  scope: "local/agent",
  taskId: "t_1",
  agentId: "writer",
  userId: "ada",
  channel: "cli",
  client: { name: "a-client", version: "1.2" },
  session: "s_1",
  project: "/home/ada/project",
  parent: undefined,
  rootCallId: undefined,
  idempotent: false,
  decision: { decision: "allow", by: "person:ada" },
  paramsDigest,
  paramsText: '{"path":"/tmp/a","content":"[redacted:KEY]"}',
  startedAt: 1000,
};

const started = {
  ...recorded,
  state: "started",
  endedAt: undefined,
  durationMs: undefined,
  code: undefined,
  summary: undefined,
  resultDigest: undefined,
  notes: [],
  artifactId: undefined,
  stillRunning: false,
  erased: false,
};

const completed = {
  ...recorded,
  state: "completed",
  endedAt: 1025,
  durationMs: 24.5,
  code: undefined,
  summary: "wrote 6 bytes",
  resultDigest,
  notes: ["arguments: one repaired"],
  artifactId: "a_1",
  stillRunning: false,
  erased: false,
};

/** Records without what differs from one chain to the next. */
function listFacts(records: readonly (CallRecord | undefined)[]): unknown[] {
  return records.map((record) => {
    if (record === undefined) return undefined;
    const { hash: _hash, end: _end, runId: _runId, ...facts } = record;
    return facts;
  });
}

/** Ends a call of each name, in order. */
async function record(
  ledger: LedgerStore,
  calls: readonly (Partial<LedgerCall> & { readonly callId: string })[],
) {
  for (const each of calls) await ledger.end({ ...call, ...each }, outcome);
}

function listIds(records: readonly { readonly callId: string }[]): string[] {
  return records.map(({ callId }) => callId);
}

const recordingCases: readonly ContractCase<LedgerStore>[] = [
  {
    name: "start() records a call that list() and show() give back as started",
    async run(ledger) {
      await ledger.start(call);
      deepStrictEqual(listFacts(await ledger.list()), [started]);
      deepStrictEqual(listFacts([await ledger.show("c_1")]), [started]);
    },
  },
  {
    name: "end() completes the record of its start",
    async run(ledger) {
      await ledger.start(call);
      await ledger.end(call, outcome);
      deepStrictEqual(listFacts(await ledger.list()), [completed]);
    },
  },
  {
    name: "end() without a start is a whole record of its own",
    async run(ledger) {
      await ledger.end(call, outcome);
      deepStrictEqual(listFacts(await ledger.list()), [completed]);
    },
  },
  {
    name: "start() and end() of one turn are kept in order",
    async run(ledger) {
      await Promise.all([ledger.start(call), ledger.end(call, outcome)]);
      deepStrictEqual(listFacts(await ledger.list()), [completed]);
    },
  },
  {
    name: "end() tells failed, denied and cancelled calls apart by their code",
    async run(ledger) {
      const codes = [
        "TOOL_FAILED",
        "TOOL_TIMEOUT",
        "TOOL_PERMISSION",
        "TOOL_BLOCKED",
        "TOOL_NOT_CALLABLE",
        "TOOL_CANCELLED",
      ];
      for (const code of codes) await ledger.end({ ...call, callId: code }, { ...failure, code });
      deepStrictEqual((await ledger.list()).map(({ code, state }) => [code, state]).reverse(), [
        ["TOOL_FAILED", "failed"],
        ["TOOL_TIMEOUT", "failed"],
        ["TOOL_PERMISSION", "denied"],
        ["TOOL_BLOCKED", "denied"],
        ["TOOL_NOT_CALLABLE", "denied"],
        ["TOOL_CANCELLED", "cancelled"],
      ]);
    },
  },
  {
    name: "start() takes the arguments down as they are at that moment",
    async run(ledger) {
      const params = { path: "/tmp/a", content: "secret" };
      const written = ledger.start({ ...call, params });
      params.content = "changed by the tool";
      await written;
      strictEqual((await ledger.show("c_1"))?.paramsDigest, paramsDigest);
    },
  },
  {
    name: "start() gives the same arguments the same digest, whatever the order of their keys, and others another",
    async run(ledger) {
      await record(ledger, [
        { callId: "same", params: { content: "secret", path: "/tmp/a" } },
        { callId: "other", params: { content: "Secret", path: "/tmp/a" } },
      ]);
      strictEqual((await ledger.show("same"))?.paramsDigest, paramsDigest);
      notStrictEqual((await ledger.show("other"))?.paramsDigest, paramsDigest);
    },
  },
  {
    name: "start() records a call whose arguments are no JSON value, without a digest",
    async run(ledger) {
      await ledger.start({ ...call, params: { big: 1n } });
      deepStrictEqual(listFacts(await ledger.list()), [{ ...started, paramsDigest: undefined }]);
    },
  },
  {
    name: "start() and end() take calls of one id one after the other for two",
    async run(ledger) {
      await ledger.start(call);
      await ledger.end(call, outcome);
      await ledger.start(call);
      deepStrictEqual(listFacts(await ledger.list()), [{ ...started, seq: 3 }, completed]);
      deepStrictEqual(listFacts([await ledger.show("c_1")]), [{ ...started, seq: 3 }]);
    },
  },
  {
    name: "start() and end() lose none of a thousand calls at once",
    async run(ledger) {
      const ids = Array.from({ length: 1000 }, (_, index) => `c_${index}`);
      await Promise.all(
        ids.map(async (callId) => {
          await ledger.start({ ...call, callId });
          await ledger.end({ ...call, callId }, outcome);
        }),
      );
      const records = await ledger.list({ limit: 1000 });
      deepStrictEqual(new Set(listIds(records)), new Set(ids));
      ok(records.every(({ state }) => state === "completed"));
      deepStrictEqual(await ledger.list({ limit: 1000, state: "started" }), []);
    },
  },
  {
    name: "end() cuts long texts and says how much is missing",
    async run(ledger) {
      await ledger.end(
        { ...call, paramsText: "p".repeat(100_000) },
        {
          ...outcome,
          text: "s".repeat(100_000),
          notes: Array.from({ length: 1000 }, () => "n".repeat(10_000)),
        },
      );
      const found = await ledger.show("c_1");
      ok(found !== undefined);
      strictEqual(found.paramsText, `${"p".repeat(4000)} … (96000 more characters)`);
      strictEqual(found.summary, `${"s".repeat(500)} … (99500 more characters)`);
      strictEqual(found.notes.length, 51);
      strictEqual(found.notes[50], "and 950 more notes");
    },
  },
  {
    name: "end() keeps a digest of the whole text, however little of it is shown",
    async run(ledger) {
      await ledger.end({ ...call, callId: "a" }, { ...outcome, text: `${"s".repeat(100_000)}a` });
      await ledger.end({ ...call, callId: "b" }, { ...outcome, text: `${"s".repeat(100_000)}b` });
      const [b, a] = await ledger.list();
      strictEqual(a?.summary, b?.summary);
      notStrictEqual(a?.resultDigest, b?.resultDigest);
    },
  },
  {
    name: "end() keeps any text so that the chain stays sound: NUL, lone surrogates, emoji, right to left",
    async run(ledger) {
      const odd = "a\0b\ud800c\u{1f600}\u202e\u2028\"'\\";
      await ledger.end({ ...call, callId: odd, paramsText: odd }, { ...outcome, text: odd, notes: [odd] });
      const kept = "a\u2400b\ufffdc\u{1f600}\u202e\u2028\"'\\";
      const { callId, paramsText, summary, notes } = (await ledger.show(odd)) ?? {};
      deepStrictEqual(
        { callId, paramsText, summary, notes },
        { callId: kept, paramsText: kept, summary: kept, notes: [kept] },
      );
      strictEqual((await ledger.verify()).valid, true);
    },
  },
];

const listingCases: readonly ContractCase<LedgerStore>[] = [
  {
    name: "list() gives the newest first, page by page",
    async run(ledger) {
      await record(
        ledger,
        ["a", "b", "c", "d", "e"].map((callId) => ({ callId })),
      );
      const first = await ledger.list({ limit: 2 });
      const second = await ledger.list({ limit: 2, before: first[1]?.seq ?? 0 });
      const third = await ledger.list({ limit: 2, before: second[1]?.seq ?? 0 });
      deepStrictEqual([first, second, third].map(listIds), [["e", "d"], ["c", "b"], ["a"]]);
    },
  },
  {
    name: "list() gives the oldest first after a row, page by page",
    async run(ledger) {
      await record(
        ledger,
        ["a", "b", "c"].map((callId) => ({ callId })),
      );
      const first = await ledger.list({ limit: 2, after: 0 });
      const second = await ledger.list({ limit: 2, after: first[1]?.seq ?? 0 });
      deepStrictEqual([first, second].map(listIds), [["a", "b"], ["c"]]);
      deepStrictEqual(await ledger.list({ after: second[0]?.seq ?? 0 }), []);
    },
  },
  {
    name: "list() says where in the chain a call begins and ends, and which process made it",
    async run(ledger) {
      await ledger.start(call);
      const [begun] = await ledger.list();
      ok(begun !== undefined);
      deepStrictEqual(begun.end, undefined);
      await ledger.end(call, outcome);
      const [ended] = await ledger.list({ runId: begun.runId });
      const chain = await ledger.verify();
      ok(chain.valid);
      deepStrictEqual([ended?.seq, ended?.hash, ended?.end], [1, begun.hash, chain.head]);
      deepStrictEqual(await ledger.list({ runId: "r_other" }), []);
    },
  },
  {
    name: "list() keeps to a project folder, a client of any version, or a session",
    async run(ledger) {
      await record(ledger, [
        { callId: "here" },
        { callId: "elsewhere", project: "/home/ada/project/other" },
        { callId: "newer", client: { name: "a-client", version: "2" } },
        { callId: "other client", client: { name: "other", version: "" }, session: "s_2" },
        { callId: "unnamed", client: undefined, session: undefined, project: undefined },
      ]);
      const { project } = call;
      deepStrictEqual(listIds(await ledger.list({ ...(project !== undefined && { project }) })), [
        "other client",
        "newer",
        "here",
      ]);
      deepStrictEqual(listIds(await ledger.list({ client: "a-client" })), ["newer", "elsewhere", "here"]);
      deepStrictEqual(listIds(await ledger.list({ session: "s_2" })), ["other client"]);
      const [unnamed, other] = await ledger.list({ limit: 2 });
      deepStrictEqual(
        [unnamed?.client, unnamed?.session, unnamed?.project],
        [undefined, undefined, undefined],
      );
      deepStrictEqual(other?.client, { name: "other", version: "" });
      strictEqual((await ledger.verify()).valid, true);
    },
  },
  {
    name: "list() finds the calls that a call led to, and names the call that made each",
    async run(ledger) {
      await record(ledger, [
        { callId: "script", toolName: "run_script" },
        { callId: "chain", toolName: "run_chain", parentCallId: "script", rootCallId: "script" },
        { callId: "read", parentCallId: "chain", rootCallId: "script" },
        { callId: "other" },
      ]);
      const found = await ledger.list({ rootCallId: "script" });
      deepStrictEqual(
        found.map(({ callId, parent, rootCallId }) => [callId, parent, rootCallId]),
        [
          ["read", { callId: "chain", toolName: "run_chain" }, "script"],
          ["chain", { callId: "script", toolName: "run_script" }, "script"],
        ],
      );
      const other = await ledger.show("other");
      deepStrictEqual([other?.parent, other?.rootCallId], [undefined, undefined]);
      deepStrictEqual(await ledger.list({ rootCallId: "chain" }), []);
      strictEqual((await ledger.verify()).valid, true);
    },
  },
  {
    name: "list() keeps to a scope and what is below it",
    async run(ledger) {
      await record(ledger, [
        { callId: "in", scope: "acme/one" },
        { callId: "below", scope: "acme/one/sub" },
        { callId: "beside", scope: "acme/one-more" },
        { callId: "above", scope: "acme" },
        { callId: "pattern", scope: "acme/%" },
      ]);
      deepStrictEqual(listIds(await ledger.list({ scope: "acme/one" })), ["below", "in"]);
      deepStrictEqual(listIds(await ledger.list({ scope: "acme/%" })), ["pattern"]);
      deepStrictEqual(await ledger.list({ scope: "" }), []);
    },
  },
  {
    name: "list() filters by tool, agent, task, state and time",
    async run(ledger) {
      await record(ledger, [
        { callId: "a", toolName: "grep" },
        { callId: "b", agentId: "reader" },
        { callId: "c", taskId: "t_2" },
        { callId: "d", startedAt: 5000 },
      ]);
      await ledger.start({ ...call, callId: "e", startedAt: 6000 });
      deepStrictEqual(listIds(await ledger.list({ tool: "grep" })), ["a"]);
      deepStrictEqual(listIds(await ledger.list({ agentId: "reader" })), ["b"]);
      deepStrictEqual(listIds(await ledger.list({ taskId: "t_2" })), ["c"]);
      deepStrictEqual(listIds(await ledger.list({ state: "started" })), ["e"]);
      deepStrictEqual(listIds(await ledger.list({ state: "completed", limit: 2 })), ["d", "c"]);
      deepStrictEqual(listIds(await ledger.list({ since: 5000, until: 6000 })), ["d"]);
    },
  },
  {
    name: "list() finds calls by their ids, also one whose id is longer than what is kept of it",
    async run(ledger) {
      const long = "c".repeat(5000);
      await record(ledger, [{ callId: "a" }, { callId: "b" }, { callId: long }]);
      deepStrictEqual(listIds(await ledger.list({ callIds: ["a", "none"] })), ["a"]);
      strictEqual((await ledger.list({ callIds: ["b", long] })).length, 2);
      deepStrictEqual(await ledger.list({ callIds: [] }), []);
    },
  },
  {
    name: "list() finds calls by a text of their arguments or of what came of them",
    async run(ledger) {
      await record(ledger, [{ callId: "a", paramsText: '{"path":"100%_sure.txt"}' }, { callId: "b" }]);
      await ledger.end({ ...call, callId: "c" }, { ...outcome, text: "It is 100% sure" });
      deepStrictEqual(listIds(await ledger.list({ text: "100%" })), ["c", "a"]);
      deepStrictEqual(listIds(await ledger.list({ text: "%_SURE" })), ["a"]);
      deepStrictEqual(await ledger.list({ text: "100 sure" }), []);
      deepStrictEqual(await ledger.list({ text: "\\" }), []);
    },
  },
  {
    name: "list() refuses a limit below 1, above 1,000 or not whole",
    async run(ledger) {
      for (const limit of [0, -1, 1001, 1.5, Number.NaN]) await rejects(ledger.list({ limit }), RangeError);
    },
  },
  {
    name: "show() knows no call that never was",
    async run(ledger) {
      await ledger.end(call, outcome);
      strictEqual(await ledger.show("c_2"), undefined);
    },
  },
];

const outcomeCases: readonly ContractCase<LedgerStore>[] = [
  {
    name: "outcomes() counts the calls of one tool by version and how they came out",
    async run(ledger) {
      const end = async (callId: string, toolVersion: string, of: Partial<LedgerOutcome>) => {
        const one = { ...call, callId, toolVersion };
        if (callId !== "a") await ledger.start(one);
        await ledger.end(one, { ...outcome, ...of });
      };
      await end("a", "1", { durationMs: 10, completedAt: 2000 });
      await end("b", "1", { durationMs: 30, completedAt: 3000 });
      await end("c", "1", { ...failure, completedAt: 4000 });
      await end("d", "2", { durationMs: 5, completedAt: 1500 });
      await end("e", "2", { ...failure, code: "TOOL_PERMISSION", completedAt: 1600 });
      await ledger.end({ ...call, callId: "f", toolName: "read_file" }, outcome);
      const brief = (all: readonly VersionOutcomes[]) =>
        all.map((one) => [one.version, one.completed, one.failed, one.stopped, one.averageMs]);
      deepStrictEqual(brief(await ledger.outcomes({ tool: "write_file" })), [
        ["1", 2, 1, 0, 20],
        ["2", 1, 0, 1, 5],
      ]);
      deepStrictEqual(brief(await ledger.outcomes({ tool: "no_such_tool" })), []);
      const [first] = await ledger.outcomes({ tool: "write_file" });
      deepStrictEqual(await ledger.outcomes({ tool: "write_file", since: (first?.lastAt ?? 0) + 1 }), []);
    },
  },
];

const chainCases: readonly ContractCase<LedgerStore>[] = [
  {
    name: "verify() finds an empty chain sound",
    async run(ledger) {
      deepStrictEqual(await ledger.verify(), { valid: true, rows: 0, erased: 0, head: { seq: 0, hash: "" } });
    },
  },
  {
    name: "verify() counts the rows and returns a head that holds as an anchor later",
    async run(ledger) {
      await ledger.start(call);
      const first = await ledger.verify();
      ok(first.valid);
      strictEqual(first.rows, 1);
      await ledger.end(call, outcome);
      const second = await ledger.verify({ anchor: first.head });
      ok(second.valid);
      strictEqual(second.rows, 2);
      notStrictEqual(second.head.hash, first.head.hash);
    },
  },
  {
    name: "verify() refuses a chain that is not the one of the anchor, or shorter",
    async run(ledger) {
      await record(ledger, [{ callId: "a" }, { callId: "b" }]);
      const other = await ledger.verify({ anchor: { seq: 1, hash: "0".repeat(64) } });
      deepStrictEqual(other.valid ? undefined : [other.rows, other.broken.seq, other.broken.fault], [
        0,
        1,
        "edited",
      ]);
      const shorter = await ledger.verify({ anchor: { seq: 5, hash: "0".repeat(64) } });
      deepStrictEqual(shorter.valid ? undefined : [shorter.rows, shorter.broken.seq, shorter.broken.fault], [
        2,
        3,
        "truncated",
      ]);
    },
  },
  {
    name: "verify() stops when it is told to",
    async run(ledger) {
      const reason = new Error("enough");
      await rejects(ledger.verify({ signal: AbortSignal.abort(reason) }), reason);
      await Promise.all(Array.from({ length: 3000 }, () => ledger.end(call, outcome)));
      const controller = new AbortController();
      const stopped = rejects(ledger.verify({ signal: controller.signal }), reason);
      setImmediate(() => controller.abort(reason));
      await stopped;
    },
  },
];

/** What a ledger keeps, lists and proves. */
export const ledgerCases: readonly ContractCase<LedgerStore>[] = [
  ...recordingCases,
  ...keptOutcomeCases,
  ...erasureCases,
  ...listingCases,
  ...outcomeCases,
  ...chainCases,
];

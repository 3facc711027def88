import { expect, test } from "vitest";
import { sampleCall, sampleOutcome } from "../../test/fixtures/store/sample-call.ts";
import type { CallRecord } from "../modules/ledger/index.ts";
import { allCalls } from "./all-calls.ts";
import { formatCalls } from "./export-calls.ts";
import { openStore } from "./store/open-store.ts";

const completed: CallRecord = {
  seq: 7,
  hash: "a1",
  end: { seq: 8, hash: "b2" },
  runId: "r_1",
  callId: "c_1",
  state: "completed",
  toolName: "write",
  toolVersion: "2",
  scope: "local",
  taskId: undefined,
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
  paramsDigest: "c3",
  paramsText: '{"path":"notes.txt"}',
  startedAt: 1_790_000_000_123,
  endedAt: 1_790_000_000_150,
  durationMs: 27,
  code: undefined,
  summary: "Created notes.txt",
  resultDigest: "d4",
  notes: ["arguments: one repaired", "output: kept"],
  artifactId: "a_1",
  stillRunning: false,
  erased: false,
};

interface Otlp {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly status: unknown;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
}

function otlpLines(calls: readonly CallRecord[]): string[] {
  return Array.from(formatCalls(calls, "otlp", "1.2.3"));
}

function toSpans(calls: readonly CallRecord[]): OtlpSpan[] {
  return otlpLines(calls).flatMap((line) =>
    (JSON.parse(line) as Otlp).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  );
}

function findAttribute(span: OtlpSpan | undefined, key: string): unknown {
  return span?.attributes.find((attribute) => attribute.key === key)?.value;
}

test("formatCalls() writes a call as one line of JSON with all that is known of it", () => {
  const text = Array.from(
    formatCalls([completed, { ...completed, summary: "two\nlines\u2028" }], "jsonl", "1"),
  );
  const lines = text.join("").split("\n");
  expect(lines.length).toBe(3);
  const { taskId: _taskId, code: _code, ...known } = completed;
  expect(JSON.parse(lines[0] ?? "")).toEqual(known);
});

test("formatCalls() writes a call as a span of OTLP/JSON with the names of the GenAI conventions", () => {
  const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
  expect(otlpLines([completed]).map((line) => JSON.parse(line))).toEqual([
    {
      resourceSpans: [
        {
          resource: { attributes: [text("service.name", "haft"), text("service.version", "1.2.3")] },
          scopeSpans: [
            {
              scope: { name: "haft.ledger", version: "1.2.3" },
              spans: [
                {
                  traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
                  spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
                  name: "execute_tool write",
                  kind: 1,
                  startTimeUnixNano: "1790000000123000000",
                  endTimeUnixNano: "1790000000150000000",
                  attributes: [
                    text("gen_ai.operation.name", "execute_tool"),
                    text("gen_ai.tool.name", "write"),
                    text("gen_ai.tool.type", "function"),
                    text("gen_ai.tool.call.id", "c_1"),
                    text("gen_ai.tool.call.arguments", '{"path":"notes.txt"}'),
                    text("gen_ai.agent.id", "writer"),
                    text("user.id", "ada"),
                    text("haft.call.state", "completed"),
                    { key: "haft.call.idempotent", value: { boolValue: false } },
                    { key: "haft.call.still_running", value: { boolValue: false } },
                    text("haft.tool.version", "2"),
                    text("haft.scope", "local"),
                    text("haft.run.id", "r_1"),
                    text("haft.channel", "cli"),
                    text("haft.client.name", "a-client"),
                    text("haft.client.version", "1.2"),
                    text("haft.session", "s_1"),
                    text("haft.project", "/home/ada/project"),
                    text("haft.decision", "allow"),
                    text("haft.decision.by", "person:ada"),
                    text("haft.arguments.digest", "c3"),
                    text("haft.result.summary", "Created notes.txt"),
                    text("haft.result.digest", "d4"),
                    text("haft.artifact.id", "a_1"),
                    {
                      key: "haft.notes",
                      value: {
                        arrayValue: {
                          values: [
                            { stringValue: "arguments: one repaired" },
                            { stringValue: "output: kept" },
                          ],
                        },
                      },
                    },
                    { key: "haft.ledger.seq", value: { intValue: "7" } },
                    text("haft.ledger.hash", "a1"),
                    { key: "haft.ledger.end_seq", value: { intValue: "8" } },
                    text("haft.ledger.end_hash", "b2"),
                  ],
                  status: {},
                },
              ],
            },
          ],
        },
      ],
    },
  ]);
});

test("formatCalls() puts the calls of a task into one trace, and every other call into one of its own", () => {
  const calls = [
    { ...completed, callId: "a", taskId: "t_1" },
    { ...completed, callId: "b", taskId: "t_1" },
    { ...completed, callId: "b", taskId: "t_1", scope: "another" },
    { ...completed, callId: "t_1" },
    { ...completed, callId: "c" },
  ];
  const [a, b, elsewhere, named, c] = toSpans(calls);
  expect(b?.traceId).toBe(a?.traceId);
  expect(new Set([a, elsewhere, named, c].map((span) => span?.traceId)).size).toBe(4);
  expect(new Set([a, b, named, c].map((span) => span?.spanId)).size).toBe(4);
  expect(toSpans(calls)).toEqual([a, b, elsewhere, named, c]);
});

test("formatCalls() marks spans of calls that failed, were refused or are lost, and not of those that run", () => {
  const states = [
    { state: "failed", code: "FILE_NOT_FOUND" },
    { state: "denied", code: "TOOL_PERMISSION" },
    { state: "unknown", code: undefined },
    { state: "started", code: undefined, endedAt: undefined },
  ] as const;
  const spans = toSpans(states.map((each) => ({ ...completed, ...each })));
  expect(spans.map((span) => [span.status, findAttribute(span, "error.type")])).toEqual([
    [{ code: 2, message: "FILE_NOT_FOUND" }, { stringValue: "FILE_NOT_FOUND" }],
    [{ code: 2, message: "TOOL_PERMISSION" }, { stringValue: "TOOL_PERMISSION" }],
    [{ code: 2, message: "unknown" }, { stringValue: "unknown" }],
    [{}, undefined],
  ]);
});

test("formatCalls() keeps lines of OTLP short enough for those who read them, and loses no call", () => {
  const calls = Array.from({ length: 1000 }, (_, index) => ({
    ...completed,
    callId: `c_${index}`,
    summary: "\u0001".repeat(500),
  }));
  const lines = otlpLines(calls);
  expect(lines.length).toBeGreaterThan(4);
  expect(lines.filter((line) => line.length > 300_000 || !line.endsWith("}\n"))).toEqual([]);
  expect(toSpans(calls).length).toBe(1000);
});

test("allCalls() gives every call once, oldest first, with a page of them in memory", async () => {
  await using store = await openStore({ path: ":memory:" });
  const ids = Array.from({ length: 2500 }, (_, index) => `c_${index}`);
  await Promise.all(ids.map((callId) => store.ledger.end(sampleCall(callId), sampleOutcome())));
  const { signal } = new AbortController();
  const pages: string[][] = [];
  for await (const page of allCalls(store.ledger, {}, signal)) pages.push(page.map(({ callId }) => callId));
  expect(pages.flat()).toEqual(ids);
  expect(pages.map((page) => page.length)).toEqual([1000, 1000, 500]);
});

test("allCalls() stops when it is told to", async () => {
  await using store = await openStore({ path: ":memory:" });
  for (const callId of ["a", "b"]) await store.ledger.end(sampleCall(callId), sampleOutcome());
  const reason = new Error("enough");
  const controller = new AbortController();
  const pages = allCalls(store.ledger, {}, controller.signal);
  await pages.next();
  controller.abort(reason);
  await expect(pages.next()).rejects.toBe(reason);
});

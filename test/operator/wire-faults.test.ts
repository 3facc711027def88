import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { StoreError } from "../../src/db/index.ts";
import { openListener } from "../../src/host/index.ts";
import { AgentQueries, Operator, serveOperator } from "../../src/server/index.ts";
import type { AgentQuery, QueryListener, QueryTarget } from "../../src/server/operator/agent-queries.ts";
import { createOperatorHandler } from "../../src/server/operator/operator-http.ts";
import type { QueryOutcome } from "../../src/server/operator/operator-messages.ts";
import { nothingUsed } from "../../src/server/operator/query-report.ts";
import { OperatorWorld } from "../support/operator-world.ts";

type Line = Record<string, unknown> & { readonly type: string };
const token = "the-token-of-clients";

interface Wire {
  readonly path: string;
  readonly port: number;
}

/** An operator on both of its wires. */
async function serve(world: OperatorWorld, operator: Operator = world.operator): Promise<Wire> {
  const path = join(world.installation.home.folder, "operator.sock");
  const socket = await serveOperator(operator, path);
  onTestFinished(() => socket.close());
  const listener = await openListener({ port: 0, handler: createOperatorHandler({ operator, token }) });
  onTestFinished(() => listener.close(0));
  return { path, port: listener.port };
}

class Connection {
  readonly socket: Socket;
  readonly #lines: AsyncIterator<string>;

  constructor({ path }: Wire) {
    this.socket = connect(path);
    onTestFinished(() => void this.socket.destroy());
    this.#lines = createInterface({ input: this.socket })[Symbol.asyncIterator]();
  }

  say(...messages: readonly unknown[]): void {
    for (const one of messages) this.socket.write(`${typeof one === "string" ? one : JSON.stringify(one)}\n`);
  }

  async next(): Promise<Line> {
    return JSON.parse(String((await this.#lines.next()).value)) as Line;
  }

  /** The lines up to the answer of this type. */
  async until(type: string): Promise<readonly Line[]> {
    const lines: Line[] = [];
    do lines.push(await this.next());
    while (lines.at(-1)?.type !== type);
    return lines;
  }
}

interface Posted {
  readonly status: number;
  readonly body: string;
}

function post({ port }: Wire, message: unknown): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const sent = httpRequest(
      { host: "127.0.0.1", port, path: "/v1/query", method: "POST", agent: false, headers },
      (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
      },
    );
    sent.on("error", reject);
    sent.end(typeof message === "string" ? message : JSON.stringify(message));
  });
}

const agents = { settings: "agents: { architect: {}, reader: { allowedTools: [read] } }\n" };
const types = (lines: readonly Line[]) => lines.map(({ type }) => type).filter((type) => type !== "text");

test("each verb is answered on a connection: tool, dispatch, query, a stream of each, and send_context_request", async () => {
  const world = await OperatorWorld.open(() => ({ text: "Hello." }), agents);
  const wire = new Connection(await serve(world));
  wire.say({ type: "tool", id: "t", name: "listdir", input: { path: "." } });
  expect(await wire.next()).toMatchObject({ type: "tool_result", id: "t" });
  wire.say({ type: "dispatch", id: "d", agentID: "reader" });
  const { sessionID } = await wire.next();
  wire.say({ type: "query", id: "q", prompt: "Hello" });
  expect(await wire.next()).toMatchObject({
    type: "query_result",
    id: "q",
    sessionID,
    agentID: "reader",
    content: "Hello.",
    turns: 1,
    usage: { inputTokens: 100 },
    stopReason: "end",
  });
  wire.say({ type: "query", id: "s", prompt: "Again", stream: true });
  const streamed = await wire.until("done");
  expect(types(streamed)).toEqual(["status", "turn.start", "turn.end", "done"]);
  for (const line of streamed) expect(line).toMatchObject({ id: "s", sessionID });
  wire.say({ type: "send_context_request", id: "c" });
  expect(await wire.next()).toMatchObject({
    type: "context",
    id: "c",
    run: { state: "completed", content: "Hello." },
    entries: expect.arrayContaining([expect.objectContaining({ kind: "user" })]),
  });
  wire.say({ type: "dispatch", id: "p", agentID: "architect", prompt: "Begin", stream: true });
  const begun = await wire.until("done");
  expect(types(begun)).toEqual(["dispatched", "status", "turn.start", "turn.end", "done"]);
  expect(begun.at(-1)).toMatchObject({ agentID: "architect", content: "Hello.", stopReason: "end" });
});

test("each verb is answered over HTTP, those with a stream by server-sent events", async () => {
  const world = await OperatorWorld.open(() => ({ text: "Hello." }), agents);
  const wire = await serve(world);
  const ask = async (message: object) => JSON.parse((await post(wire, message)).body) as Line;
  const { sessionID } = await ask({ type: "dispatch", agentID: "reader" });
  expect(await ask({ type: "tool", sessionID, name: "bash", input: { command: "true" } })).toMatchObject({
    cause: "TOOL_NOT_CALLABLE",
  });
  expect(await ask({ type: "query", sessionID, prompt: "Hello" })).toMatchObject({
    type: "query_result",
    agentID: "reader",
    content: "Hello.",
  });
  expect(await ask({ type: "send_context_request", sessionID })).toMatchObject({ type: "context" });
  const { body } = await post(wire, {
    type: "dispatch",
    agentID: "architect",
    prompt: "Begin",
    stream: true,
  });
  const events = Array.from(body.matchAll(/^event: (.+)$/gm), ([, name = ""]) => name);
  expect(events.filter((name) => name !== "text")).toEqual([
    "dispatched",
    "status",
    "turn.start",
    "turn.end",
    "done",
  ]);
});

/** What is no request at all, and what only looks like one. */
const garbage: readonly string[] = [
  "\u0000\u0001\u0002",
  "GET / HTTP/1.1",
  "[".repeat(100_000),
  '{"type":"query","prompt":',
  "null",
  "42",
  '"dispatch"',
];
const odd: readonly (object | string)[] = [
  { type: "query" },
  { type: "query", prompt: 5 },
  { type: "query", prompt: "x", stream: "yes" },
  { type: "query", prompt: "x", id: { $gt: "" } },
  { type: "query", prompt: "x", sessionID: "../../etc/passwd\n" },
  { type: "query", prompt: "x", agentID: "__proto__" },
  { type: "send_context_request", sessionID: "constructor" },
  { type: "tool" },
  { type: "tool", name: "x".repeat(10_000) },
  { type: "cancel" },
  { type: ["query"], prompt: "x" },
  `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`,
];

test("garbage is answered with an error, nothing runs of it, and others are served as before", async () => {
  const world = await OperatorWorld.open(() => ({ text: "Hello." }), agents);
  const wire = await serve(world);
  const steady = new Connection(wire);
  const codes = ["INVALID_REQUEST", "SESSION_NOT_FOUND", "AGENT_NOT_FOUND", "TOOL_NOT_AVAILABLE"];
  for (const one of garbage) {
    const sender = new Connection(wire);
    const gone = once(sender.socket, "close");
    sender.say(one, { type: "query", id: "after", prompt: "Hello" });
    expect(await sender.next()).toMatchObject({ type: "error", code: "INVALID_REQUEST" });
    // It may have been a dispatch, so nothing behind it is done.
    expect(await sender.next()).toMatchObject({ id: "after", code: "SESSION_NOT_FOUND" });
    await gone;
    expect(await post(wire, one)).toMatchObject({ status: 400 });
  }
  for (const one of odd) {
    steady.say(one);
    const answer = await steady.next();
    expect(codes, JSON.stringify(one).slice(0, 100)).toContain(answer["code"]);
    expect([400, 404], JSON.stringify(one).slice(0, 100)).toContain((await post(wire, one)).status);
  }
  expect(world.provider.asked).toEqual([]);
  steady.say({ type: "query", id: "q", prompt: "Hello" });
  expect(await steady.next()).toMatchObject({ type: "query_result", id: "q", content: "Hello." });
});

test("a fault of the store answers the request with its code, and ends no connection", async () => {
  const world = await OperatorWorld.open(() => ({ text: "Hello." }), agents);
  const { app } = world;
  let isFull = true;
  const queries = new AgentQueries({
    ...app,
    agent: () => app.agent(),
    store: async () => {
      if (isFull) throw new StoreError("STORE_FULL", "Cannot write: the disk is full; make room");
      return app.store();
    },
    ready: () => app.sources.listed(),
    hasAgent: (id) => app.agents.has(id),
  });
  const operator = new Operator({ ...app, queries });
  const wire = await serve(world, operator);
  const connection = new Connection(wire);
  for (const message of [
    { type: "query", id: "q", prompt: "Hello" },
    { type: "send_context_request", id: "c" },
  ]) {
    connection.say(message);
    const { id } = message;
    expect(await connection.next()).toEqual({
      type: "error",
      id,
      error: "Cannot write: the disk is full; make room",
      code: "TOOL_EXECUTION_FAILED",
      cause: "STORE_FULL",
    });
  }
  expect((await post(wire, { type: "query", prompt: "Hello" })).status).toBe(500);
  isFull = false;
  connection.say({ type: "query", id: "r", prompt: "Hello" });
  expect(await connection.next()).toMatchObject({ type: "query_result", id: "r", content: "Hello." });
});

/** An agent that says a megabyte again and again, for as long as somebody is there. */
class Flood extends AgentQueries {
  said = 0;
  interrupts = 0;

  override async query(
    { id: sessionID }: QueryTarget,
    _query: AgentQuery,
    { signal, emit }: QueryListener,
  ): Promise<QueryOutcome> {
    const content = "x".repeat(1_000_000);
    while (!signal.aborted) {
      this.said++;
      emit({ type: "text", content });
      await nextTurn();
    }
    this.interrupts++;
    return {
      sessionID,
      agentID: "main",
      content: "",
      turns: 0,
      usage: nothingUsed,
      stopReason: "interrupted",
    };
  }
}

test("a client that does not read what it is sent is cut off, and its query is interrupted", async () => {
  const world = await OperatorWorld.open([]);
  const { app } = world;
  const queries = new Flood({ ...app, ready: () => {}, hasAgent: () => true });
  const { path, port } = await serve(world, new Operator({ ...app, queries }));
  const message = JSON.stringify({ type: "query", prompt: "Begin", stream: true });
  const slow = connect(path).pause();
  onTestFinished(() => void slow.destroy());
  slow.on("error", () => {});
  slow.write(`${message}\n`);
  await vi.waitFor(() => expect(queries.interrupts).toBe(1), 30_000);
  // Some 16 MiB wait for it at most, and what the system itself holds.
  expect(queries.said).toBeLessThan(40);
  queries.said = 0;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const sent = httpRequest({
    host: "127.0.0.1",
    port,
    path: "/v1/query",
    method: "POST",
    agent: false,
    headers,
  });
  sent.on("error", () => {}).on("response", (response) => void response.on("error", () => {}).pause());
  sent.end(message);
  await vi.waitFor(() => expect(queries.interrupts).toBe(2), 30_000);
  expect(queries.said).toBeLessThan(40);
});

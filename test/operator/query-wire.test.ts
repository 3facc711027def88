import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { openListener } from "../../src/host/index.ts";
import { serveOperator } from "../../src/server/index.ts";
import { createOperatorHandler } from "../../src/server/operator/operator-http.ts";
import { OperatorWorld } from "../support/operator-world.ts";

type Line = Record<string, unknown> & { readonly type: string };
const written = { settings: "agents: { architect: {}, reader: { allowedTools: [read] } }\n" };
const token = "the-token-of-clients";

async function serveSocket({ operator, installation }: OperatorWorld): Promise<string> {
  const path = join(installation.home.folder, "operator.sock");
  const socket = await serveOperator(operator, path);
  onTestFinished(() => socket.close());
  return path;
}

/** Writes pieces one after the other, says that this was all, and reads the lines that come back. */
async function converse(path: string, pieces: readonly (string | Buffer)[]): Promise<readonly Line[]> {
  const socket = connect({ path, allowHalfOpen: true }).setNoDelay(true);
  const answered = text(socket);
  for (const piece of pieces) {
    socket.write(piece);
    if (pieces.length > 1) await new Promise((resolve) => setImmediate(resolve));
  }
  socket.end();
  const lines = (await answered).split("\n").filter((line) => line !== "");
  socket.destroy();
  return lines.map((line) => JSON.parse(line) as Line);
}

const toLines = (...messages: object[]) => messages.map((one) => `${JSON.stringify(one)}\n`).join("");
const dispatched = toLines(
  { type: "dispatch", id: "d", agentID: "reader", prompt: "Say hello ü" },
  { type: "tool", id: "t", name: "bash", input: { command: "true" } },
);

test("a call behind a dispatch that starts an agent is that agent's, in one write and byte by byte", async () => {
  const world = await OperatorWorld.open(() => ({ text: "Hello." }), written);
  const path = await serveSocket(world);
  const bytes = Buffer.from(dispatched);
  const byByte = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
  for (const pieces of [[dispatched], byByte]) {
    const lines = await converse(path, pieces);
    expect(lines.find(({ id }) => id === "d")).toMatchObject({ type: "dispatched", content: "Hello." });
    expect(lines.find(({ id }) => id === "t")).toMatchObject({
      type: "tool_result",
      cause: "TOOL_NOT_CALLABLE",
    });
    expect(lines.length).toBe(2);
  }
});

test("a call behind a dispatch is the dispatched agent's wherever the write is split", async () => {
  const world = await OperatorWorld.open([], written);
  const path = await serveSocket(world);
  const bytes = Buffer.from(
    toLines(
      { type: "dispatch", id: "d", agentID: "reader" },
      { type: "tool", id: "t", name: "bash", input: { command: "true" } },
    ),
  );
  const ends = Array.from({ length: bytes.length - 1 }, (_, at) => at + 1);
  // An operator's socket takes 32 connections at a time.
  for (let from = 0; from < ends.length; from += 16) {
    const answers = await Promise.all(
      ends.slice(from, from + 16).map((at) => converse(path, [bytes.subarray(0, at), bytes.subarray(at)])),
    );
    for (const lines of answers)
      expect(lines).toMatchObject([
        { id: "d", type: "dispatched", tools: ["read"] },
        { id: "t", cause: "TOOL_NOT_CALLABLE" },
      ]);
  }
});

test("the prompt of a dispatch comes before a query behind it", async () => {
  const world = await OperatorWorld.open(() => ({ text: "Hello." }), written);
  const path = await serveSocket(world);
  const lines = await converse(path, [
    toLines(
      { type: "dispatch", id: "d", agentID: "reader", prompt: "First" },
      { type: "query", id: "q", prompt: "Second" },
    ),
  ]);
  expect(lines.find(({ id }) => id === "d")).toMatchObject({ content: "Hello." });
  expect(lines.find(({ id }) => id === "q")).toMatchObject({ code: "RATE_LIMIT_EXCEEDED" });
});

test("a connection that ends interrupts its query; another connection goes on with the session", async () => {
  const world = await OperatorWorld.open((_asked, before) =>
    before === 0 ? { text: "I beg", isOpen: true } : { text: "Here I am." },
  );
  const path = await serveSocket(world);
  const socket = connect(path);
  let heard = "";
  socket.on("data", (chunk) => (heard += String(chunk)));
  socket.write(toLines({ type: "query", id: "q", prompt: "Begin", stream: true }));
  await vi.waitFor(() => expect(heard).toContain('"type":"text"'), 30_000);
  const { sessionID } = JSON.parse(heard.split("\n")[0] ?? "") as { sessionID: string };
  socket.destroy();
  const { runs } = await world.app.store();
  await vi.waitFor(
    async () => expect(await runs.list({ scope: "local" })).toMatchObject([{ state: "stopped" }]),
    30_000,
  );
  const [answer] = await converse(path, [toLines({ type: "query", id: "r", sessionID, prompt: "Go on" })]);
  expect(answer).toMatchObject({ type: "query_result", id: "r", sessionID, content: "Here I am." });
});

async function serveHttp({ operator }: OperatorWorld): Promise<number> {
  const listener = await openListener({ port: 0, handler: createOperatorHandler({ operator, token }) });
  onTestFinished(() => listener.close(0));
  return listener.port;
}

interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

function post(
  port: number,
  message: object,
  { authorization = `Bearer ${token}`, signal }: { authorization?: string; signal?: AbortSignal } = {},
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        host: "127.0.0.1",
        port,
        path: "/v1/query",
        method: "POST",
        agent: false,
        headers: { authorization, "content-type": "application/json" },
        ...(signal !== undefined && { signal }),
      },
      (response) => {
        const { statusCode: status = 0, headers } = response;
        text(response).then(
          (body) => resolve({ status, contentType: String(headers["content-type"]), body }),
          reject,
        );
      },
    );
    sent.on("error", reject);
    sent.end(JSON.stringify(message));
  });
}

test("POST /v1/query answers in JSON, or tells by server-sent events what happens", async () => {
  const world = await OperatorWorld.open(() => ({ text: "Hello." }));
  const port = await serveHttp(world);
  const plain = await post(port, { type: "query", prompt: "Hello" });
  expect([plain.status, plain.contentType]).toEqual([200, "application/json"]);
  const { sessionID } = JSON.parse(plain.body) as { sessionID: string };
  const streamed = await post(port, { type: "query", prompt: "Again", sessionID, stream: true });
  expect([streamed.status, streamed.contentType]).toEqual([200, "text/event-stream"]);
  const events = Array.from(streamed.body.matchAll(/^event: (.+)\ndata: (.+)\n$/gm), ([, name, data]) => ({
    name,
    data: JSON.parse(data ?? "") as Line,
  }));
  const names = events.map(({ name }) => name).filter((name) => name !== "text");
  expect(names).toEqual(["status", "turn.start", "turn.end", "done"]);
  for (const { name, data } of events) expect(data).toMatchObject({ type: name, sessionID });
  expect(events.at(-1)?.data).toMatchObject({ content: "Hello.", stopReason: "end" });
});

test("a streamed query that can't begin is answered with its status, and a wrong token begins none", async () => {
  const world = await OperatorWorld.open([]);
  const port = await serveHttp(world);
  const ghost = await post(port, { type: "query", agentID: "ghost", prompt: "Hello", stream: true });
  expect([ghost.status, ghost.contentType]).toEqual([404, "application/json"]);
  expect(JSON.parse(ghost.body)).toMatchObject({ code: "AGENT_NOT_FOUND" });
  const message = { type: "query", prompt: "Hello", stream: true };
  for (const authorization of ["", "Bearer guess", `Bearer ${world.app.home.ownerToken()}`])
    expect((await post(port, message, { authorization })).status).toBe(401);
  expect(world.provider.asked).toEqual([]);
});

test("a reader that hangs up interrupts its query", async () => {
  const world = await OperatorWorld.open([{ text: "I beg", isOpen: true }]);
  const port = await serveHttp(world);
  const reader = new AbortController();
  const asking = post(port, { type: "query", prompt: "Begin", stream: true }, { signal: reader.signal });
  await vi.waitFor(() => expect(world.provider.asked.length).toBe(1), 30_000);
  reader.abort();
  await expect(asking).rejects.toThrow();
  const { runs } = await world.app.store();
  await vi.waitFor(
    async () =>
      expect(await runs.list({ scope: "local" })).toMatchObject([{ state: "stopped", why: "interrupted" }]),
    30_000,
  );
});

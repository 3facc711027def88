import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { defineTool } from "../../src/kernel/index.ts";
import { serveStdio } from "../../src/server/mcp/index.ts";
import { createFakeClock } from "../../src/testing/index.ts";
import { connectLines, initialize, modernMeta, request, startLines } from "./support/lines.ts";
import { startServer } from "./support/server-of.ts";
import { createHeldTool, echoTool, harmless, talkingTool } from "./support/tools.ts";

const callEcho = (text: string) => ({ name: "echo", arguments: { text } });

test.for([
  { asked: "2025-11-25", given: "2025-11-25" },
  { asked: "2025-06-18", given: "2025-06-18" },
  { asked: "2025-03-26", given: "2025-03-26" },
  { asked: "2024-11-05", given: "2024-11-05" },
  { asked: "2024-10-07", given: "2025-11-25" },
  { asked: "2026-07-28", given: "2025-11-25" },
])("serveStdio() answers initialize of $asked with $given", async ({ asked, given }) => {
  const client = connectLines(startServer([echoTool], { server: { instructions: "Be kind." } }).server);
  client.send(initialize(asked));
  expect((await client.next()).result).toEqual({
    protocolVersion: given,
    capabilities: { tools: { listChanged: true }, logging: {} },
    serverInfo: { name: "test", version: "1.0.0" },
    instructions: "Be kind.",
  });
});

test("serveStdio() discovers in 2026-07-28 every revision it speaks", async () => {
  const client = connectLines(startServer([]).server);
  client.send(request(1, "server/discover", { _meta: modernMeta() }));
  expect((await client.next()).result).toEqual({
    resultType: "complete",
    supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
    capabilities: { tools: { listChanged: true }, logging: {} },
    ttlMs: 3_600_000,
    cacheScope: "private",
    _meta: { "io.modelcontextprotocol/serverInfo": { name: "test", version: "1.0.0" } },
  });
});

test("serveStdio() serves both eras on one connection", async () => {
  const client = connectLines(startServer([echoTool]).server);
  client.send(initialize());
  await client.next();
  client.send(
    request(1, "tools/call", callEcho("old")),
    request(2, "tools/call", { ...callEcho("new"), _meta: modernMeta() }),
  );
  expect([await client.next(), await client.next()]).toMatchObject([
    { id: 1, result: { content: [{ text: "old" }] } },
    { id: 2, result: { content: [{ text: "new" }], resultType: "complete" } },
  ]);
});

test.for([
  { what: "a request before initialize", message: request(1, "tools/list"), code: -32602 },
  {
    what: "a version it does not speak",
    message: request(1, "tools/list", {
      _meta: { ...modernMeta(), "io.modelcontextprotocol/protocolVersion": "1999-01-01" },
    }),
    code: -32022,
  },
  {
    what: "a request without capabilities",
    message: request(1, "tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } }),
    code: -32602,
  },
  {
    what: "an unknown log level",
    message: request(1, "tools/list", {
      _meta: modernMeta({}, { "io.modelcontextprotocol/logLevel": "loud" }),
    }),
    code: -32602,
  },
  {
    what: "a method that 2026-07-28 took out",
    message: request(1, "ping", { _meta: modernMeta() }),
    code: -32601,
  },
  {
    what: "prompts where there are none",
    message: request(1, "prompts/list", { _meta: modernMeta() }),
    code: -32601,
  },
  { what: "a call without a name", message: request(1, "tools/call", { _meta: modernMeta() }), code: -32602 },
  {
    what: "a call whose arguments are a list",
    message: request(1, "tools/call", { name: "echo", arguments: [], _meta: modernMeta() }),
    code: -32602,
  },
  {
    what: "a tool that is not there",
    message: request(1, "tools/call", { name: "nothing", _meta: modernMeta() }),
    code: -32602,
  },
  {
    what: "a made-up cursor",
    message: request(1, "tools/list", { cursor: "abc", _meta: modernMeta() }),
    code: -32602,
  },
  { what: "params that are a list", message: request(1, "tools/list", []), code: -32600 },
  { what: "another JSON-RPC", message: { id: 1, method: "ping" }, code: -32600 },
  { what: "a fractional id", message: { jsonrpc: "2.0", id: 1.5, method: "ping" }, code: -32600 },
  {
    what: "an id that JavaScript can't hold",
    message: '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}',
    code: -32600,
  },
  { what: "a batch where there are none", message: [request(1, "ping")], code: -32600 },
])("serveStdio() refuses $what", async ({ message, code }) => {
  const client = connectLines(startServer([echoTool]).server);
  client.send(message);
  expect((await client.next()).error?.code).toBe(code);
});

test("serveStdio() refuses a second request with the id of one that still runs, in both eras", async () => {
  for (const _meta of [undefined, modernMeta()]) {
    const held = createHeldTool();
    const client = connectLines(startServer([held.tool, echoTool]).server);
    client.send(initialize());
    await client.next();
    client.send(request(1, "tools/call", { name: "hold", _meta }));
    await held.begun;
    client.send(request(1, "tools/call", { ...callEcho("hi"), _meta }));
    expect(await client.next()).toMatchObject({ id: 1, error: { code: -32600 } });
    held.finish("done");
    expect(await client.next()).toMatchObject({ id: 1, result: { content: [{ text: "done" }] } });
  }
});

test("serveStdio() cancels a call that its client takes back, and sends no answer, in both eras", async () => {
  for (const _meta of [undefined, modernMeta()]) {
    const held = createHeldTool();
    const client = connectLines(startServer([held.tool, echoTool]).server);
    client.send(initialize());
    await client.next();
    client.send(request(1, "tools/call", { name: "hold", _meta }));
    await held.begun;
    client.send({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1, reason: "enough" },
    });
    expect(await held.stopped).toMatchObject({ code: "TOOL_CANCELLED" });
    client.send(request(2, "tools/call", { ...callEcho("hi"), _meta }));
    expect(await client.next()).toMatchObject({ id: 2 });
  }
});

test("serveStdio() passes over empty lines and a missing end of the last one", async () => {
  const client = connectLines(startServer([]).server);
  client.send("", "\r", `${JSON.stringify(request(1, "ping"))}\r`);
  expect(await client.next()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  const streams = { input: new PassThrough(), output: new PassThrough() };
  const connection = serveStdio(startServer([]).server, { streams });
  streams.input.end(JSON.stringify(request(2, "ping")));
  await connection.closed;
  expect(String(streams.output.read())).toBe('{"jsonrpc":"2.0","id":2,"result":{}}\n');
});

test("serveStdio() finishes what runs when its input ends, and then is closed", async () => {
  const held = createHeldTool();
  const client = connectLines(startServer([held.tool]).server);
  client.send(initialize());
  await client.next();
  client.send(request(1, "tools/call", { name: "hold" }));
  await held.begun;
  client.end();
  await new Promise((resolve) => setImmediate(resolve));
  held.finish("done");
  expect(await client.next()).toMatchObject({ id: 1, result: { content: [{ text: "done" }] } });
  await client.closed;
});

test("serveStdio() stops what still runs some time after its input has ended", async () => {
  const clock = createFakeClock();
  const held = createHeldTool();
  const client = connectLines(startServer([held.tool], { server: { clock } }).server, { drainMs: 5000 });
  client.send(initialize());
  await client.next();
  client.send(request(1, "tools/call", { name: "hold" }));
  await held.begun;
  client.end();
  await clock.advance(5001);
  await held.stopped;
  await client.closed;
});

test("serveStdio() lets nobody wait for a client that has gone", async () => {
  const { server, events } = startServer([
    talkingTool(async (peer) => JSON.stringify(await peer.sample({ messages: [], maxTokens: 1 }))),
  ]);
  const client = connectLines(server);
  client.send(initialize("2025-11-25", { sampling: {} }));
  await client.next();
  client.send(request(1, "tools/call", { name: "talk", arguments: {} }));
  expect(await client.next()).toMatchObject({ method: "sampling/createMessage" });
  client.end();
  await client.closed;
  expect(events.at(-1)).toMatchObject({ type: "tool.failed", result: { code: "MCP_NO_ANSWER" } });
});

test("serveStdio() ends what runs when nobody reads its output any more", async () => {
  const held = createHeldTool();
  const client = connectLines(startServer([held.tool]).server);
  client.send(initialize());
  await client.next();
  client.send(request(1, "tools/call", { name: "hold" }));
  await held.begun;
  client.output.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
  await held.stopped;
  await client.closed;
});

test("serveStdio() takes nothing more from a client that does not read, until it does", async () => {
  const input = new PassThrough({ highWaterMark: 1 });
  const output = new PassThrough({ highWaterMark: 16 });
  const large = defineTool({
    name: "large",
    description: "Say much.",
    parameters: { type: "object" },
    maxOutputChars: 10_000_000,
    ...harmless,
    execute: () => "x".repeat(3_000_000),
  });
  const { server, events } = startServer([large]);
  const connection = serveStdio(server, { streams: { input, output } });
  const call = (id: number) =>
    input.write(`${JSON.stringify(request(id, "tools/call", { name: "large", _meta: modernMeta() }))}\n`);
  for (let id = 1; id <= 50; id++) {
    call(id);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(input.isPaused()).toBe(true);
  expect(events.filter(({ type }) => type === "tool.completed").length).toBeLessThan(10);
  output.resume();
  await expect.poll(() => events.filter(({ type }) => type === "tool.completed").length).toBe(50);
  input.end();
  await connection.closed;
});

test("serveStdio() answers the calls of one turn in one write", async () => {
  const input = new PassThrough();
  const writes: string[] = [];
  const output = new PassThrough();
  output.on("data", (chunk: Buffer) => writes.push(String(chunk)));
  const connection = serveStdio(startServer([echoTool], { executor: { maxConcurrent: 100 } }).server, {
    streams: { input, output },
  });
  const calls = Array.from({ length: 64 }, (_, id) =>
    request(id, "tools/call", { ...callEcho(`${id}`), _meta: modernMeta() }),
  );
  input.end(`${calls.map((call) => JSON.stringify(call)).join("\n")}\n`);
  await connection.closed;
  expect(writes.join("").split("\n")).toHaveLength(65);
  expect(writes.length).toBeLessThan(4);
});

test("serveStdio() answers a batch of 2025-03-26 with a batch", async () => {
  const client = connectLines(startServer([echoTool]).server);
  client.send(initialize("2025-03-26"));
  await client.next();
  client.send([request(1, "tools/call", callEcho("one")), request(2, "ping"), { nonsense: true }]);
  const answers = (await client.next()) as unknown as { id?: number }[];
  expect(answers.toSorted((a, b) => (a.id ?? 0) - (b.id ?? 0))).toMatchObject([
    { error: { code: -32600 } },
    { id: 1, result: { content: [{ text: "one" }] } },
    { id: 2, result: {} },
  ]);
  client.send([], [request("init", "initialize")]);
  expect(await client.next()).toMatchObject({ error: { code: -32600 } });
  expect(await client.next()).toMatchObject([{ id: "init", error: { code: -32600 } }]);
});

test("serveStdio() sends a session's log down to its level, and a request of 2026-07-28 what it asked for", async () => {
  const { server } = startServer([
    talkingTool(async (peer) => {
      peer.log("debug", "fine");
      peer.log("error", { broken: true }, "engine");
      return "done";
    }),
  ]);
  const client = connectLines(server);
  client.send(initialize());
  await client.next();
  const call = { name: "talk", arguments: {} };
  client.send(request(1, "tools/call", call));
  const error = {
    method: "notifications/message",
    params: { level: "error", logger: "engine", data: { broken: true } },
  };
  expect([await client.next(), await client.next()]).toMatchObject([error, { id: 1 }]);
  client.send(request(2, "logging/setLevel", { level: "debug" }), request(3, "tools/call", call));
  const debug = { method: "notifications/message", params: { level: "debug", data: "fine" } };
  expect([await client.next(), await client.next(), await client.next(), await client.next()]).toMatchObject([
    { id: 2 },
    debug,
    error,
    { id: 3 },
  ]);
  client.send(request(4, "logging/setLevel", { level: "loud" }));
  expect((await client.next()).error?.code).toBe(-32602);
  client.send(request(5, "tools/call", { ...call, _meta: modernMeta() }));
  expect(await client.next()).toMatchObject({ id: 5 });
  client.send(
    request(6, "tools/call", {
      ...call,
      _meta: modernMeta({}, { "io.modelcontextprotocol/logLevel": "error" }),
    }),
  );
  expect([await client.next(), await client.next()]).toMatchObject([error, { id: 6 }]);
});

test("serveStdio() says that tools have changed once a turn, after the client is ready for it", async () => {
  const { server, registry } = startServer([]);
  const client = connectLines(server);
  client.send(initialize());
  await client.next();
  registry.register(echoTool);
  client.send(request(0, "ping"));
  expect(await client.next()).toMatchObject({ id: 0 });
  expect(client.unread).toEqual([]);
  client.send({ jsonrpc: "2.0", method: "notifications/initialized" }, request(1, "ping"));
  await client.next();
  registry.unregister("echo");
  registry.register(echoTool);
  expect(await client.next()).toEqual({
    jsonrpc: "2.0",
    method: "notifications/tools/list_changed",
    params: {},
  });
  client.send(request(2, "ping"));
  expect(await client.next()).toMatchObject({ id: 2 });
});

test("a program that serves stdio ends by itself when its input ends, also with a call set aside", async () => {
  const client = startLines("stdio.ts");
  const call = {
    name: "test_input_required_result_elicitation",
    arguments: {},
    _meta: modernMeta({ elicitation: {} }),
  };
  client.send(request(1, "tools/call", call));
  expect((await client.next()).result?.["resultType"]).toBe("input_required");
  client.end();
  expect(await client.closed).toEqual([0, null]);
});

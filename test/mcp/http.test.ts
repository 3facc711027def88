import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { createHttpHandler } from "../../src/server/mcp/index.ts";
import { createFakeClock } from "../../src/testing/index.ts";
import { serveHttp } from "./support/http.ts";
import { initialize, modernMeta, request } from "./support/lines.ts";
import { startServer } from "./support/server-of.ts";
import { createHeldTool, echoTool, talkingTool } from "./support/tools.ts";

const callEcho = (text: string) => ({ name: "echo", arguments: { text } });

test("createHttpHandler() answers in JSON, and opens a stream only where a call speaks before its answer", async () => {
  const talking = talkingTool(async (peer) => {
    peer.progress(1, 2, "half");
    return "done";
  });
  const http = await serveHttp(startServer([echoTool, talking]).server);
  const plain = await http.modern(1, "tools/call", callEcho("hi"));
  expect([plain.status, plain.headers["content-type"]]).toEqual([200, "application/json"]);
  const streamed = await http.modern(2, "tools/call", {
    name: "talk",
    arguments: {},
    _meta: modernMeta({}, { progressToken: "p" }),
  });
  expect(streamed.headers).toMatchObject({
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
  expect(streamed.messages).toMatchObject([
    {
      method: "notifications/progress",
      params: { progressToken: "p", progress: 1, total: 2, message: "half" },
    },
    { id: 2, result: { resultType: "complete", content: [{ type: "text", text: "done" }] } },
  ]);
});

test("createHttpHandler() says in each result of 2026-07-28 who gives it, and of older sessions it does not", async () => {
  const http = await serveHttp(startServer([echoTool]).server);
  const modern = await http.modern(1, "tools/call", callEcho("hi"));
  expect(modern.messages[0]?.result).toEqual({
    resultType: "complete",
    content: [{ type: "text", text: "hi" }],
    _meta: {
      "io.modelcontextprotocol/serverInfo": { name: "test", version: "1.0.0" },
      "haft/call": { id: expect.any(String) },
    },
  });
  const session = await http.begin();
  const legacy = await http.send("POST", request(1, "tools/call", callEcho("hi")), session);
  expect(legacy.messages[0]?.result).toEqual({
    content: [{ type: "text", text: "hi" }],
    _meta: { "haft/call": { id: expect.any(String) } },
  });
});

test("createHttpHandler() asks for the token, and takes no other", async () => {
  const http = await serveHttp(startServer([echoTool]).server, { token: "s3cret" });
  const none = await http.send("POST", initialize());
  expect([none.status, none.headers["www-authenticate"]]).toEqual([401, 'Bearer realm="haft"']);
  const wrong = await http.send("POST", initialize(), { authorization: "Bearer s3cre" });
  expect([wrong.status, wrong.headers["www-authenticate"]]).toEqual([
    401,
    'Bearer realm="haft", error="invalid_token"',
  ]);
  const right = await http.send("POST", initialize(), { authorization: "Bearer s3cret" });
  expect(right.status).toBe(200);
});

test("createHttpHandler() refuses to be guarded by a token that no header can hold", () => {
  const { server } = startServer([]);
  for (const token of ["", "two words", "späß", new Map()]) {
    expect(() => createHttpHandler(server, { token })).toThrow(TypeError);
  }
});

test("createHttpHandler() tells the calls of several tokens apart", async () => {
  const seen: string[] = [];
  const { server } = startServer([echoTool], {
    server: {
      context: ({ principal }) => {
        seen.push(principal);
        return { allowedTools: principal === "ada" ? ["echo"] : none };
      },
    },
  });
  const none: string[] = [];
  const tokens = new Map([
    ["one", "ada"],
    ["two", "bob"],
  ]);
  const http = await serveHttp(server, { token: tokens });
  const list = async (token: string) => {
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
    const message = request(1, "tools/list", { _meta: modernMeta() });
    return (await http.send("POST", message, { ...headers, authorization: `Bearer ${token}` })).messages[0]
      ?.result?.["tools"];
  };
  expect(await list("one")).toMatchObject([{ name: "echo" }]);
  expect(await list("two")).toEqual([]);
  expect(new Set(seen)).toEqual(new Set(["ada", "bob"]));
});

test.for([
  { host: "evil.example.com", origin: undefined, status: 403 },
  { host: "localhost", origin: "http://evil.example.com", status: 403 },
  { host: "localhost", origin: "null", status: 403 },
  { host: "localhost.evil.example.com", origin: undefined, status: 403 },
  { host: "127.0.0.1@evil.example.com", origin: undefined, status: 403 },
  { host: "localhost:80", origin: "http://127.0.0.1:9", status: 403 },
  { host: "127.0.0.1:80", origin: "http://127.0.0.1:9", status: 403 },
  { host: "127.0.0.1:80", origin: "http://127.0.0.1", status: 200 },
  { host: "127.0.0.1:4280", origin: "http://127.0.0.1", status: 403 },
  { host: "127.0.0.1:4280", origin: "http://localhost:4280", status: 403 },
  { host: "127.0.0.1:4280", origin: "ftp://127.0.0.1:4280", status: 403 },
  { host: "127.0.0.1:4280", origin: "http://127.0.0.1:4280", status: 200 },
  { host: "LOCALHOST:4280", origin: "https://localhost:4280", status: 200 },
  { host: "[::1]:4280", origin: "http://[::1]:4280", status: 200 },
])(
  "createHttpHandler() answers $status to Host $host and Origin $origin",
  async ({ host, origin, status }) => {
    const http = await serveHttp(startServer([]).server);
    const answer = await http.send("POST", initialize(), { host, ...(origin !== undefined && { origin }) });
    expect(answer.status).toBe(status);
  },
);

test("createHttpHandler() is called by the names it was given, and by no others", async () => {
  const http = await serveHttp(startServer([]).server, { hosts: ["Tools.example.com"] });
  expect((await http.send("POST", initialize(), { host: "tools.example.com" })).status).toBe(200);
  expect((await http.send("POST", initialize(), { host: "localhost" })).status).toBe(403);
});

test("createHttpHandler() answers the pages of other origins that it was given, and of no others", async () => {
  const http = await serveHttp(startServer([]).server, {
    hosts: ["tools.example.com"],
    origins: ["https://App.example.com", "http://localhost:*"],
  });
  const getStatus = async (origin: string) =>
    (await http.send("POST", initialize(), { host: "tools.example.com:8443", origin })).status;
  for (const origin of [
    "https://app.example.com",
    "http://localhost:3000",
    "https://tools.example.com:8443",
  ]) {
    expect(await getStatus(origin)).toBe(200);
  }
  for (const origin of ["http://app.example.com", "https://tools.example.com", "https://localhost:3000"]) {
    expect(await getStatus(origin)).toBe(403);
  }
});

test.for([
  { what: "another content type", headers: { "content-type": "text/plain" }, status: 415 },
  { what: "a client that takes no stream", headers: { accept: "application/json" }, status: 406 },
  { what: "a client that takes no JSON", headers: { accept: "text/event-stream" }, status: 406 },
  { what: "a client that takes anything", headers: { accept: "*/*" }, status: 200 },
  {
    what: "a content type with a charset",
    headers: { "content-type": "application/json; charset=utf-8" },
    status: 200,
  },
])("createHttpHandler() answers $status to $what", async ({ headers, status }) => {
  const http = await serveHttp(startServer([]).server);
  expect((await http.send("POST", initialize(), headers as Record<string, string>)).status).toBe(status);
});

test("createHttpHandler() refuses a body over its limit with 413, whether or not it says its length", async () => {
  const http = await serveHttp(startServer([]).server, { maxBodyBytes: 1000 });
  const large = JSON.stringify(request(1, "ping", { text: "x".repeat(2000) }));
  expect((await http.send("POST", large, { "content-length": String(large.length) })).status).toBe(413);
  expect((await http.send("POST", large, { "transfer-encoding": "chunked" })).status).toBe(413);
  expect((await http.send("POST", initialize())).status).toBe(200);
});

test("createHttpHandler() knows one path and three methods", async () => {
  const http = await serveHttp(startServer([]).server, { path: "/other" });
  expect((await http.send("POST", initialize())).status).toBe(404);
  const here = await serveHttp(startServer([]).server);
  const put = await here.send("PUT", initialize());
  expect([put.status, put.headers.allow]).toEqual([405, "POST, GET, DELETE"]);
  const get = await here.send("GET", undefined);
  expect([get.status, get.headers.allow]).toEqual([405, "POST"]);
});

test("createHttpHandler() keeps a session from initialize to DELETE", async () => {
  const http = await serveHttp(startServer([echoTool]).server);
  const session = await http.begin("2025-06-18");
  expect(session["mcp-session-id"]).toMatch(/^[\x21-\x7e]{20,}$/);
  const called = await http.send("POST", request(1, "tools/call", callEcho("hi")), session);
  expect(called.messages[0]?.result?.["content"]).toEqual([{ type: "text", text: "hi" }]);
  expect((await http.send("DELETE", undefined, session)).status).toBe(204);
  expect((await http.send("POST", request(2, "ping"), session)).status).toBe(404);
});

test("createHttpHandler() refuses messages of no session, of an unknown one, and of an unknown revision", async () => {
  const http = await serveHttp(startServer([]).server);
  const session = await http.begin();
  const ping = request(1, "ping");
  expect((await http.send("POST", ping)).status).toBe(400);
  expect((await http.send("POST", ping, { ...session, "mcp-session-id": "made-up" })).status).toBe(404);
  const future = await http.send("POST", ping, { ...session, "mcp-protocol-version": "2031-01-01" });
  expect([future.status, future.messages[0]?.error?.code]).toEqual([400, -32022]);
  expect((await http.send("POST", initialize(), session)).status).toBe(400);
});

test("createHttpHandler() takes a notification of 2026-07-28, and no answer to anything", async () => {
  const http = await serveHttp(startServer([]).server);
  const headers = { "mcp-protocol-version": "2026-07-28" };
  const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  expect((await http.send("POST", note, headers)).status).toBe(202);
  expect((await http.send("POST", { jsonrpc: "2.0", id: 1, result: {} }, headers)).status).toBe(400);
});

test("createHttpHandler() lets nobody into the session of another token", async () => {
  const tokens = new Map([
    ["one", "ada"],
    ["two", "bob"],
  ]);
  const http = await serveHttp(startServer([]).server, { token: tokens });
  const begun = await http.send("POST", initialize(), { authorization: "Bearer one" });
  const id = String(begun.headers["mcp-session-id"]);
  const ping = (token: string) =>
    http.send("POST", request(1, "ping"), { authorization: `Bearer ${token}`, "mcp-session-id": id });
  expect((await ping("one")).status).toBe(200);
  expect((await ping("two")).status).toBe(404);
});

test("createHttpHandler() ends a session that is not used for too long, but not while its stream is open", async () => {
  const clock = createFakeClock();
  const http = await serveHttp(startServer([], { server: { clock } }).server, {
    sessionIdleMs: 60_000,
    keepAliveMs: 600_000,
  });
  const idle = await http.begin();
  const busy = await http.begin();
  const stream = await http.open("GET", undefined, busy);
  await clock.advance(60_001);
  expect((await http.send("POST", request(1, "ping"), idle)).status).toBe(404);
  expect((await http.send("POST", request(1, "ping"), busy)).status).toBe(200);
  stream.close();
});

test("createHttpHandler() makes room for a new session by ending the one that was used longest ago", async () => {
  const http = await serveHttp(startServer([]).server, { maxSessions: 2 });
  const first = await http.begin();
  const second = await http.begin();
  await http.send("POST", request(1, "ping"), first);
  await http.begin();
  expect((await http.send("POST", request(2, "ping"), first)).status).toBe(200);
  expect((await http.send("POST", request(3, "ping"), second)).status).toBe(404);
});

test("createHttpHandler() takes 3,000 sessions that nobody ends with little memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const http = await serveHttp(startServer([echoTool]).server);
  const begin = async (count: number) => {
    for (let at = 0; at < count; at += 50) {
      await Promise.all(Array.from({ length: 50 }, () => http.send("POST", initialize())));
    }
  };
  await begin(500);
  collect();
  const before = process.memoryUsage().heapUsed;
  await begin(3000);
  collect();
  expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(8);
});

test("createHttpHandler() cancels a call of 2026-07-28 when its client hangs up", async () => {
  const held = createHeldTool();
  const http = await serveHttp(startServer([held.tool]).server);
  const call = { name: "hold", arguments: {}, _meta: modernMeta({}, { progressToken: 1 }) };
  const answer = await http.openModern(1, "tools/call", call);
  await answer.next();
  answer.close();
  expect(await held.stopped).toMatchObject({ code: "TOOL_CANCELLED" });
});

test("createHttpHandler() cancels what runs when it is closed", async () => {
  for (const modern of [true, false]) {
    const held = createHeldTool();
    const http = await serveHttp(startServer([held.tool]).server);
    const call = { name: "hold", arguments: {} };
    const answer = modern
      ? http.openModern(1, "tools/call", call)
      : http.open("POST", request(1, "tools/call", call), await http.begin());
    await held.begun;
    http.handler.close();
    expect(await held.stopped).toMatchObject({ code: "TOOL_CANCELLED" });
    expect(await (await answer).next()).toBeUndefined();
  }
});

test("createHttpHandler() lets a call of an older session go on when its client hangs up, and cancels it when told", async () => {
  const held = createHeldTool();
  const { server, events } = startServer([held.tool]);
  const http = await serveHttp(server);
  const session = await http.begin();
  const call = request(1, "tools/call", { name: "hold", arguments: {}, _meta: { progressToken: 1 } });
  const answer = await http.open("POST", call, session);
  await answer.next();
  answer.close();
  await http.send("POST", request(2, "ping"), session);
  const cancel = {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: 1, reason: "enough" },
  };
  expect((await http.send("POST", cancel, session)).status).toBe(202);
  await held.stopped;
  await expect
    .poll(() => events.at(-1))
    .toMatchObject({ type: "tool.failed", result: { code: "TOOL_CANCELLED" } });
});

test("createHttpHandler() says on the stream of a session what changed, and on a newer stream instead of an older one", async () => {
  const { server, registry } = startServer([]);
  const http = await serveHttp(server);
  const session = await http.begin();
  const older = await http.open("GET", undefined, session);
  const newer = await http.open("GET", undefined, session);
  expect(await older.next()).toBeUndefined();
  registry.register(echoTool);
  expect(await newer.next()).toEqual({
    jsonrpc: "2.0",
    method: "notifications/tools/list_changed",
    params: {},
  });
  newer.close();
});

test("createHttpHandler() keeps a quiet stream awake", async () => {
  const clock = createFakeClock();
  const http = await serveHttp(startServer([], { server: { clock } }).server, { keepAliveMs: 1000 });
  const stream = await http.open("GET", undefined, await http.begin());
  await clock.advance(2500);
  await expect.poll(() => stream.comments).toEqual([": open", ": still here", ": still here"]);
  stream.close();
});

test("createHttpHandler() opens a subscription, tells what was asked for and nothing else, and ends it with an answer", async () => {
  const { server, registry } = startServer([]);
  const http = await serveHttp(server);
  const stream = await http.openModern("sub", "subscriptions/listen", {
    notifications: { toolsListChanged: true, promptsListChanged: true },
  });
  const _meta = { "io.modelcontextprotocol/subscriptionId": "sub" };
  expect(await stream.next()).toEqual({
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: { _meta, notifications: { toolsListChanged: true } },
  });
  registry.register(echoTool);
  expect(await stream.next()).toEqual({
    jsonrpc: "2.0",
    method: "notifications/tools/list_changed",
    params: { _meta },
  });
  server.close();
  expect(await stream.next()).toMatchObject({ id: "sub", result: { resultType: "complete", _meta } });
  expect(await stream.next()).toBeUndefined();
});

test("createHttpHandler() bounds how many subscriptions are open", async () => {
  const http = await serveHttp(startServer([], { server: { maxSubscriptions: 1 } }).server);
  const params = { notifications: { toolsListChanged: true } };
  const first = await http.openModern(1, "subscriptions/listen", params);
  await first.next();
  expect((await http.modern(2, "subscriptions/listen", params)).messages[0]?.error?.message).toMatch(
    /1 are open already/,
  );
  first.close();
  await expect
    .poll(async () => {
      const next = await http.openModern(3, "subscriptions/listen", params);
      const message = await next.next();
      next.close();
      return message?.method;
    })
    .toBe("notifications/subscriptions/acknowledged");
});

test("createHttpHandler() answers a batch where the revision has them, and refuses it where it has none", async () => {
  const http = await serveHttp(startServer([echoTool]).server);
  const batch = [
    request(1, "tools/call", callEcho("one")),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { nonsense: true },
    request(2, "tools/call", callEcho("two")),
  ];
  const answered = await http.send("POST", batch, await http.begin("2025-03-26"));
  const answers = (answered.messages[0] as unknown as { id?: number; error?: { code: number } }[]).toSorted(
    (a, b) => (a.id ?? 0) - (b.id ?? 0),
  );
  expect(answers).toMatchObject([{ error: { code: -32600 } }, { id: 1, result: {} }, { id: 2, result: {} }]);
  const quiet = await http.send(
    "POST",
    [{ jsonrpc: "2.0", method: "notifications/initialized" }],
    await http.begin("2025-03-26"),
  );
  expect(quiet.status).toBe(202);
  const refused = await http.send("POST", batch, await http.begin("2025-06-18"));
  expect([refused.status, refused.messages[0]?.error?.code]).toEqual([400, -32600]);
});

test("createHttpHandler() gives each of 50 clients with equal ids its own answers", async () => {
  const http = await serveHttp(startServer([echoTool], { executor: { maxConcurrent: 10 } }).server);
  const client = async (name: number) => {
    const session = name % 2 === 0 ? await http.begin() : undefined;
    for (let id = 0; id < 20; id++) {
      const call = callEcho(`client ${name}, call ${id}`);
      const answer =
        session === undefined
          ? await http.modern(id, "tools/call", call)
          : await http.send("POST", request(id, "tools/call", call), session);
      expect(answer.messages).toMatchObject([{ id, result: { content: [{ text: call.arguments.text }] } }]);
    }
  };
  await Promise.all(Array.from({ length: 50 }, (_, name) => client(name)));
});

test("createHttpHandler() completes the events of a call after it has answered it", async () => {
  const { server, events } = startServer([echoTool]);
  const http = await serveHttp(server);
  await http.modern(1, "tools/call", callEcho("hi"));
  await expect.poll(() => events.map(({ type }) => type)).toEqual(["tool.requested", "tool.completed"]);
});

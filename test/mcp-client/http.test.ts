import type { IncomingMessage, ServerResponse } from "node:http";
import { createBrotliCompress, createGzip } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createConnector } from "../../src/host/index.ts";
import type { ServerHealth } from "../../src/mcp/index.ts";
import { createHttpHandler } from "../../src/server/mcp/index.ts";
import { createFixtureServer } from "../fixtures/mcp/fixture.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import { openMcp } from "../support/mcp-servers.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

async function readHealth(handler: Handler, path = "/mcp"): Promise<ServerHealth | undefined> {
  const { url } = await listenOnLoopback(handler);
  await using mcp = openMcp();
  await mcp.connections.connectAll([{ name: "web", url: `${url}${path}`, connectTimeout: 30_000 }]);
  return mcp.connections.health()[0];
}

describe("a server on the web", () => {
  test.each([
    [401, "MCP_UNAUTHORIZED", "haft mcp login web"],
    [403, "MCP_UNAUTHORIZED", "HTTP 403"],
    [404, "MCP_UNAVAILABLE", "HTTP 404"],
    [500, "MCP_UNAVAILABLE", "HTTP 500"],
  ])("that answers %i is said to", async (status, code, text) => {
    const health = await readHealth((_request, response) => {
      response.writeHead(status, { "content-type": "text/plain" });
      response.end("go\u202e away");
    });
    expect(health).toMatchObject({ status: "failed", code, reason: expect.stringContaining(text) });
    expect(health?.reason).not.toContain("\u202e");
    if (code === "MCP_UNAUTHORIZED") expect(health).not.toHaveProperty("nextTryAt");
  });

  test("that sends somebody elsewhere is not followed", async () => {
    let reached = 0;
    const other = await listenOnLoopback((_request, response) => {
      reached++;
      response.end();
    });
    const health = await readHealth((_request, response) => {
      response.writeHead(307, { location: `${other.url}/mcp` });
      response.end();
    });
    expect(health?.status).toBe("failed");
    expect(reached).toBe(0);
  });

  test("that names another origin for its messages is not followed there", async () => {
    let reached = 0;
    const other = await listenOnLoopback((_request, response) => {
      reached++;
      response.end();
    });
    const health = await readHealth((request, response) => {
      if (request.method !== "GET") return response.writeHead(405).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      return response.write(`event: endpoint\ndata: ${other.url}/message\n\n`);
    }, "/sse");
    expect(health?.status).toBe("failed");
    expect(reached).toBe(0);
  });

  test("that is no server at all is tried again later", async () => {
    await using mcp = openMcp();
    await mcp.connections.connectAll([{ name: "web", url: "http://127.0.0.1:9/mcp" }]);
    expect(mcp.connections.health()[0]).toMatchObject({
      status: "failed",
      code: "MCP_UNAVAILABLE",
      reason: expect.stringContaining('"web"'),
      nextTryAt: expect.any(Number),
    });
  });

  test("can't be the service that gives away a machine's keys, whoever configured it", async () => {
    await using mcp = openMcp();
    await mcp.connections.connectAll([{ name: "web", url: "http://169.254.169.254/latest" }]);
    expect(mcp.connections.health()[0]).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("169.254.169.254"),
    });
  });

  test("that forgets its sessions is asked again, with the call done once", async () => {
    let session = 0;
    const calls: string[] = [];
    const { url } = await listenOnLoopback(async (request, response) => {
      if (request.method !== "POST") return response.writeHead(405).end();
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const { id, method, params } = JSON.parse(body);
      const say = (result: unknown) => {
        response.writeHead(200, { "content-type": "application/json", "mcp-session-id": `s${session}` });
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
      };
      if (method === "server/discover") return response.writeHead(400).end();
      if (method === "initialize") {
        session++;
        const { protocolVersion } = params;
        return say({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
      }
      if (request.headers["mcp-session-id"] !== `s${session}`) return response.writeHead(404).end();
      if (id === undefined) return response.writeHead(202).end();
      if (method === "tools/list") return say({ tools: [{ name: "pay", inputSchema: { type: "object" } }] });
      calls.push(`s${session}`);
      return say({ content: [{ type: "text", text: "paid" }] });
    });
    await using mcp = openMcp();
    await mcp.connections.connectAll([{ name: "web", url }]);
    expect(await mcp.executor.execute("web__pay", {})).toMatchObject({ text: "paid" });
    session += 10;
    expect(await mcp.executor.execute("web__pay", {})).toMatchObject({ text: "paid" });
    expect(calls).toEqual(["s1", "s12"]);
  });

  test("of haft itself is spoken to in its newest revision, and tells of its changes", async () => {
    const server = createFixtureServer();
    const { url } = await listenOnLoopback(createHttpHandler(server));
    await using mcp = openMcp({ asker: { ask: async () => ({ action: "accept", content: {} }) } });
    await mcp.connections.connectAll([{ name: "haft", url: `${url}/mcp` }]);
    expect(mcp.connections.health()[0]).toMatchObject({ status: "ready", protocolVersion: "2026-07-28" });
    expect(mcp.registry.checkAll()).toEqual([]);
    const before = mcp.connections.listTools("haft").length;
    expect(before).toBeGreaterThan(10);
    await mcp.executor.execute("haft__test_trigger_tool_change", {});
    await expect.poll(() => mcp.connections.listTools("haft").length).not.toBe(before);
    server.close();
  });
});

describe("the connector's open()", () => {
  const bounds = { allowedHosts: [], effects: [] };

  test("gives an answer as it comes, without an end", async () => {
    const { url } = await listenOnLoopback((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: one\n\n");
    });
    const connector = createConnector();
    const stop = new AbortController();
    const effects = [{ kind: "connect", target: url, within: false }] as const;
    const answer = await connector.open(
      { url, isConfigured: true },
      { ...bounds, effects, signal: stop.signal },
    );
    expect(answer).toMatchObject({ status: 200, headers: { "content-type": "text/event-stream" } });
    const reader = answer.body[Symbol.asyncIterator]();
    expect(String((await reader.next()).value)).toBe("data: one\n\n");
    const waiting = reader.next();
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow();
    await connector.close();
  });

  test.each([
    ["gzip", createGzip],
    ["br", createBrotliCompress],
  ])("undoes %s", async (encoding, compress) => {
    const { url } = await listenOnLoopback((_request, response) => {
      response.writeHead(200, { "content-encoding": encoding });
      const stream = compress();
      stream.pipe(response);
      stream.end("hello");
    });
    const connector = createConnector();
    const effects = [{ kind: "connect", target: url, within: false }] as const;
    const signal = new AbortController().signal;
    const { body } = await connector.open({ url, isConfigured: true }, { ...bounds, effects, signal });
    let text = "";
    for await (const chunk of body) text += String(chunk);
    expect(text).toBe("hello");
    await connector.close();
  });

  test("refuses what was not decided, and follows nothing", async () => {
    const { url } = await listenOnLoopback((_request, response) => {
      response.writeHead(302, { location: "/elsewhere" });
      response.end();
    });
    const connector = createConnector();
    const signal = new AbortController().signal;
    await expect(connector.open({ url, isConfigured: true }, { ...bounds, signal })).rejects.toMatchObject({
      code: "CONNECT_DENIED",
    });
    const effects = [{ kind: "connect", target: url, within: false }] as const;
    await expect(connector.open({ url }, { ...bounds, effects, signal })).rejects.toMatchObject({
      code: "CONNECT_BLOCKED",
    });
    const answer = await connector.open({ url, isConfigured: true }, { ...bounds, effects, signal });
    expect(answer).toMatchObject({ status: 302, headers: { location: "/elsewhere" } });
    answer.body.destroy();
    await connector.close();
  });
});

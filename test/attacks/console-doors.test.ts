import { expect, onTestFinished, test } from "vitest";
import { isRecord } from "../../src/base/index.ts";
import { createAppServer } from "../../src/server/mcp/index.ts";
import { askAsOwner, listServing, ownerConsolePath } from "../../src/server/running/index.ts";
import { askWithProof } from "../../src/server/running/serving-proof.ts";
import { mcpPath, startServing } from "../../src/server/start-serving.ts";
import { consoleApi, sendExactly } from "../support/console-world.ts";
import { Installation, type OpenInstallation } from "../support/installation.ts";

/** An installation that is served, as `haft serve` does it. */
async function serve({ host = "127.0.0.1", config = "" } = {}) {
  const place = new Installation();
  const opened = await place.open(config);
  const { app } = opened;
  const view = await app.viewForGoal(undefined);
  const serving = await startServing(app, {
    host,
    port: 0,
    createServers: (chooseServer) =>
      new Map([[mcpPath, createAppServer(app, view, { version: "1", chooseServer })]]),
    openProject: () => Promise.reject(new Error("There is no other project")),
    folder: app.folder,
    bridge: true,
    operator: false,
    version: "1",
    onError: () => undefined,
  });
  onTestFinished(() => serving.close());
  const port = Number(new URL(serving.url).port);
  const send = (method: string, path: string, message = {}) => sendExactly(port, method, path, message);
  return { place, opened, serving, port, send };
}

type Served = Awaited<ReturnType<typeof serve>>;

/** The token of a session of the console, opened as its owner opens it. */
async function openSession({ serving, send }: Served): Promise<string> {
  const link = await serving.openConsole?.();
  const code = new URL(link?.url ?? "").hash.slice(1);
  const { body } = await send("POST", `${consoleApi}/session`, { body: { code } });
  return isRecord(body) ? String(body["token"]) : "";
}

test("only a proof of the owner's token for this very port makes a link: no token that is sent does", async () => {
  const served = await serve();
  const { place, port, send } = served;
  const { home } = place;
  const wrong = [
    {},
    { token: home.token() },
    { token: home.ownerToken() },
    { token: home.stateKey() },
    { headers: { "haft-proof": home.ownerToken() } },
    { headers: { "haft-proof": askWithProof(home.token(), String(port)).header } },
    { headers: { "haft-proof": askWithProof(home.ownerToken(), String(port + 1)).header } },
    { headers: { "haft-proof": `${"0".repeat(64)} ${"0".repeat(64)}` } },
  ];
  for (const message of wrong)
    for (const [method, path] of [
      ["POST", ownerConsolePath],
      ["GET", ownerConsolePath],
      ["DELETE", `${ownerConsolePath}/cs_1`],
    ] as const) {
      const refused = await send(method, path, message);
      expect([401, 429]).toContain(refused.status);
      expect(refused.text).not.toContain("url");
    }
  const proof = { headers: { "haft-proof": askWithProof(home.ownerToken(), String(port)).header } };
  expect(await send("POST", ownerConsolePath, proof)).toMatchObject({
    status: 200,
    body: { url: expect.stringMatching(new RegExp(`^http://127\\.0\\.0\\.1:${port}/console/#[\\w-]{43}$`)) },
  });
});

test("the owner's commands believe no answer but that of a server that knows the owner's token", async () => {
  const { place, serving } = await serve();
  const [running] = await listServing(place.home);
  const asked = { method: "POST", path: ownerConsolePath } as const;
  expect(running?.url).toBe(serving.url);
  if (running === undefined) return;
  expect(await askAsOwner(place.home, running, asked)).toMatchObject({ url: expect.any(String) });
  const strange = new Installation();
  strange.home.ownerToken();
  expect(await askAsOwner(strange.home, running, asked)).toBeUndefined();
  // Another program that listens there now repeats what it once heard.
  expect(await askAsOwner(place.home, { ...running, pid: 1 }, asked)).toBeUndefined();
});

test("the tokens of one door open no other", async () => {
  const served = await serve();
  const { place, send } = served;
  const { home } = place;
  const session = await openSession(served);
  expect((await send("GET", `${consoleApi}/calls`, { token: session })).status).toBe(200);
  for (const token of [home.token(), home.ownerToken()])
    expect((await send("GET", `${consoleApi}/calls`, { token })).status).toBe(401);
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const accept = { accept: "application/json, text/event-stream" };
  for (const [method, path, body] of [
    ["POST", "/mcp", list],
    ["GET", "/approvals", undefined],
    ["POST", "/operator", {}],
    ["POST", ownerConsolePath, undefined],
  ] as const) {
    const refused = await send(method, path, { token: session, headers: accept, body });
    expect([401, 404]).toContain(refused.status);
  }
});

test("no WebSocket is opened at the console, where host programs may open theirs", async () => {
  const served = await serve();
  const token = await openSession(served);
  const headers = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
  const key = { "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==" };
  for (const path of [`${consoleApi}/stream`, `${consoleApi}/session`, "/console/"])
    expect((await served.send("GET", path, { token, headers: { ...headers, ...key } })).status).toBe(404);
});

const agentsTries = (port: number) =>
  [
    ["http_get", { url: `http://127.0.0.1:${port}${consoleApi}/calls` }],
    ["http_get", { url: `http://localhost:${port}${consoleApi}/calls` }],
    ["http_post", { url: `http://127.0.0.1:${port}${consoleApi}/session`, body: { code: "guess" } }],
    ["http_post", { url: `http://127.0.0.1:${port}${ownerConsolePath}`, body: {} }],
  ] as const;

test("a tool call reaches no console, even if a person said yes to it", async () => {
  const { opened, port } = await serve();
  const approver = { identity: "owner:ada", ask: async () => ({ approved: true as const, by: "owner:ada" }) };
  for (const [tool, params] of agentsTries(port))
    expect(await opened.call(tool, params, { approver })).toMatchObject({
      success: false,
      code: "CONNECT_BLOCKED",
    });
});

test("a tool that may reach this port gets nothing there, with any header that it may set", async () => {
  const first = await serve();
  const { place, port } = first;
  const session = await openSession(first);
  const opened: OpenInstallation = await place.open(`tools: { allowedHosts: ["127.0.0.1:${port}"] }`);
  const { home } = place;
  const headers = [
    {},
    { Origin: `http://127.0.0.1:${port}`, "Sec-Fetch-Site": "same-origin" },
    { Authorization: `Bearer ${home.token()}` },
    { "haft-proof": askWithProof(home.token(), String(port)).header },
  ];
  for (const given of headers)
    for (const [tool, params] of agentsTries(port)) {
      const result = await opened.call(tool, { ...params, headers: given });
      const status = result.success ? (result.result as { readonly status?: unknown }).status : result.code;
      expect(["401", "403", "429", "TOOL_PERMISSION", "CONNECT_HEADER", "CONNECT_BLOCKED"]).toContain(
        String(status),
      );
    }
  // What is refused above is refused for want of the token of a session.
  const shown = { url: `http://127.0.0.1:${port}${consoleApi}/session` };
  const authorized = { ...shown, headers: { Authorization: `Bearer ${session}` } };
  expect(await opened.call("http_get", authorized)).toMatchObject({ result: { status: 200 } });
});

test("the console is off on a server that the network reaches, whatever name it is called by", async () => {
  const { place, port, send, serving } = await serve({ host: "0.0.0.0" });
  expect(serving.openConsole).toBeUndefined();
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `0.0.0.0:${port}`])
    for (const path of ["/console/", `${consoleApi}/session`]) {
      const refused = await send("GET", path, { headers: { host } });
      expect([401, 404]).toContain(refused.status);
      expect(refused.text).not.toContain("<");
    }
  const proof = { headers: { "haft-proof": askWithProof(place.home.ownerToken(), String(port)).header } };
  expect(await send("POST", ownerConsolePath, proof)).toMatchObject({ status: 200, body: { off: true } });
});

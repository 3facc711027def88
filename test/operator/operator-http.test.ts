import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { openListener } from "../../src/host/index.ts";
import { defineTool } from "../../src/kernel/index.ts";
import { Operator, operatorCodes } from "../../src/server/index.ts";
import { createOperatorHandler, isOperatorRequest } from "../../src/server/operator/operator-http.ts";
import { needs } from "../support/needs.ts";
import { createTestExecutor } from "../support/test-executor.ts";

const token = "the-token-of-clients";
const signals: AbortSignal[] = [];
const tools = [
  defineTool({
    name: "read",
    description: "Reads a file.",
    parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    execute: ({ path }: { path: string }) => `text of ${path}`,
  }),
  defineTool({
    name: "wait",
    description: "Waits until it is stopped.",
    parameters: { type: "object" },
    execute: (_params, { signal }) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    },
  }),
];

async function serve(): Promise<number> {
  const { registry, executor, clock } = createTestExecutor(tools);
  const operator = new Operator({ registry, executor, context: {} });
  const handler = createOperatorHandler({ operator, token, clock });
  const listener = await openListener({ port: 0, handler });
  onTestFinished(() => listener.close(0));
  return listener.port;
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

function send(port: number, message: unknown, options: Sent = {}): Promise<Answer> {
  const { method = "POST", path = "/v1/tool", headers = {}, signal } = options;
  const own = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, method, path, agent: false, headers: { ...own, ...headers }, signal },
      (response) => {
        text(response).then(
          (body) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(body) as Answer["body"] }),
          reject,
        );
      },
    );
    sent.on("error", reject);
    sent.end(typeof message === "string" ? message : JSON.stringify(message));
  });
}

test("POST /v1/tool calls a tool, in a session too", async () => {
  const port = await serve();
  const call = { type: "tool", id: "t", name: "read", input: { path: "a" } };
  expect(await send(port, call)).toEqual({
    status: 200,
    body: { type: "tool_result", id: "t", content: "text of a" },
  });
  const { body } = await send(port, { type: "dispatch", agentID: "a", context: { tools: ["wait"] } });
  expect(await send(port, { ...call, sessionID: body["sessionID"] })).toMatchObject({
    status: 404,
    body: { code: "TOOL_NOT_AVAILABLE" },
  });
});

test.for([
  { what: "no token", options: { headers: { authorization: "" } }, status: 401 },
  { what: "another token", options: { headers: { authorization: "Bearer guess" } }, status: 401 },
  {
    what: "the page of another site",
    options: { headers: { origin: "https://attacker.example" } },
    status: 403,
  },
  { what: "a rebound name", options: { headers: { host: "attacker.example" } }, status: 403 },
  { what: "a form", options: { headers: { "content-type": "text/plain" } }, status: 415 },
  { what: "another method", options: { method: "PUT" }, status: 405 },
  { what: "another path", options: { path: "/v1/tool/more" }, status: 404 },
])("a request with $what calls nothing", async ({ options, status }) => {
  const port = await serve();
  const before = signals.length;
  const refused = await send(port, { type: "tool", name: "wait" }, options);
  expect([refused.status, refused.body["error"], signals.length]).toEqual([
    status,
    expect.any(String),
    before,
  ]);
});

test("a request that is too long is refused, and one that is none is said to be none", async () => {
  const port = await serve();
  expect(await send(port, "x".repeat(1_048_577))).toMatchObject({
    status: 413,
    body: { code: "CONTEXT_TOO_LARGE" },
  });
  expect(await send(port, "{")).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST" } });
});

test("guesses at the token are slowed down, and keep nobody out", async () => {
  const port = await serve();
  const guesses: number[] = [];
  for (let guess = 0; guess < 32; guess++)
    guesses.push((await send(port, {}, { headers: { authorization: `Bearer ${guess}` } })).status);
  expect(guesses.slice(29)).toEqual([401, 429, 429]);
  expect((await send(port, { type: "tool", name: "read", input: { path: "a" } })).status).toBe(200);
});

test("a caller that hangs up cancels its call", async () => {
  const port = await serve();
  const before = signals.length;
  const caller = new AbortController();
  const call = send(port, { type: "tool", name: "wait" }, { signal: caller.signal });
  await vi.waitFor(() => expect(signals.length).toBe(before + 1), 30_000);
  caller.abort();
  await expect(call).rejects.toThrow();
  await vi.waitFor(() => expect(signals[before]?.aborted).toBe(true), 30_000);
});

test("isOperatorRequest() knows the operator's side by its path", () => {
  const urls = ["/v1/tool", "/v1/tool?x", "/v1/tool/", "/v1/tools", "/v1", "/mcp", undefined];
  expect(urls.filter((url) => isOperatorRequest({ url }))).toEqual(urls.slice(0, 3));
});

const guide = readFileSync("docs/guide/operator.md", "utf8");

test("docs/guide/operator.md explains every code", () => {
  const explained = Array.from(guide.matchAll(/^\| `([A-Z_]+)` +\|/gm), ([, code]) => code);
  expect(explained).toEqual(operatorCodes);
});

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

test("the curl of docs/guide/operator.md calls a tool", needs("curl", hasCurl), async () => {
  const port = await serve();
  const command = (/```sh\n(curl [\s\S]*?)```/.exec(guide)?.[1] ?? "")
    .replace("127.0.0.1:4280", `127.0.0.1:${port}`)
    .replace("$(cat ~/.haft/token)", token);
  const { stdout } = await promisify(execFile)("sh", ["-c", `${command.trim()} -sS --noproxy '*'`]);
  expect(JSON.parse(stdout)).toMatchObject({ type: "tool_result", content: "text of README.md" });
});

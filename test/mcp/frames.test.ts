import { readdirSync, readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createHttpHandler } from "../../src/server/mcp/index.ts";
import { createInteropServer } from "../fixtures/mcp/interop.ts";
import { listenOnLoopback } from "../support/loopback.ts";
import {
  connectLines,
  initialize,
  modernMeta,
  type RpcAnswer,
  request,
  startLines,
} from "./support/lines.ts";

const corpus = fileURLToPath(new URL("../corpora/json-test-suite/test_parsing", import.meta.url));
const files = readdirSync(corpus).map((name) => ({ name, bytes: readFileSync(`${corpus}/${name}`) }));
const ping = request("ping", "ping");

test("the corpus of JSON texts is there", () => {
  expect(files.length).toBe(318);
});

/** What has to become of a text: the first letter of its name says whether it is JSON. */
function expectedCodes(name: string): readonly number[] {
  if (name.startsWith("n_")) return [-32700];
  // None of them is a message; whether those marked "i" are JSON is for the parser to say.
  return name.startsWith("y_") ? [-32600] : [-32600, -32700];
}

test("serveStdio() answers every text of JSONTestSuite and lives on", async () => {
  const client = connectLines(createInteropServer());
  client.send(initialize());
  expect((await client.next()).result).toMatchObject({ protocolVersion: "2025-11-25" });
  const wrong: unknown[] = [];
  for (const { name, bytes } of files.filter((file) => !file.bytes.includes(10) && file.bytes.length > 0)) {
    client.send(bytes, ping);
    const answer = await client.next();
    const pong = await client.next();
    const fits = expectedCodes(name).includes(answer.error?.code ?? 0);
    if (!fits || pong.id !== "ping" || pong.result === undefined) wrong.push({ name, answer, pong });
  }
  expect(wrong).toEqual([]);
});

test("createHttpHandler() answers every text of JSONTestSuite with 400 and lives on", async () => {
  const server = await listenOnLoopback(createHttpHandler(createInteropServer()));
  const wrong: unknown[] = [];
  for (const { name, bytes } of files) {
    const { status, answer } = await post(server.port, bytes);
    const fits = expectedCodes(name).includes(answer.error?.code ?? 0);
    if (status !== 400 || !fits) wrong.push({ name, status, answer });
  }
  expect(wrong).toEqual([]);
  expect((await post(server.port, Buffer.from(JSON.stringify(initialize())))).status).toBe(200);
});

function post(port: number, body: Buffer): Promise<{ status: number; answer: RpcAnswer }> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const outgoing = httpRequest(
      { port, host: "127.0.0.1", path: "/mcp", method: "POST", headers },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => {
          text += piece;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, answer: JSON.parse(text) as RpcAnswer }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Repeatable chance. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state % below;
  };
}

test("serveStdio() survives 1,000 mutated messages", async () => {
  const client = connectLines(createInteropServer());
  client.send(initialize());
  await client.next();
  const random = createRandom(7);
  const originals = [
    request(1, "tools/list"),
    request(2, "tools/call", { name: "greet", arguments: { name: "Ada" } }),
    request(3, "tools/call", { name: "greet", arguments: { name: "Ada" }, _meta: modernMeta() }),
    { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } },
    initialize(),
  ].map((message) => Buffer.from(JSON.stringify(message)));
  for (let count = 0; count < 1000; count++) {
    const bytes = Buffer.from(originals[random(originals.length)] as Buffer);
    for (let changes = random(4) + 1; changes > 0; changes--) bytes[random(bytes.length)] = random(256);
    client.send(bytes);
  }
  client.send(request("last", "tools/call", { name: "greet", arguments: { name: "Bob" } }));
  for (let answer = await client.next(); answer.id !== "last"; answer = await client.next()) {
    expect(answer.jsonrpc).toBe("2.0");
  }
});

test("serveStdio() refuses bytes that are not UTF-8, and takes the replacement character itself", async () => {
  const client = connectLines(createInteropServer());
  client.send(initialize());
  await client.next();
  const call = (name: string) =>
    Buffer.from(JSON.stringify(request(1, "tools/call", { name: "greet", arguments: { name } })), "utf8");
  client.send(Buffer.from(call("\u00e9").toString("utf8"), "latin1"));
  expect((await client.next()).error?.code).toBe(-32700);
  client.send(call("\ufffd"));
  expect((await client.next()).result).toMatchObject({ structuredContent: { greeting: "Hello, \ufffd" } });
});

test.for([
  { what: "arrays", open: "[", close: "]", start: "", end: "" },
  { what: "objects", open: '{"a":', close: "}", start: "", end: "1" },
])(
  "serveStdio() refuses 1,000,000 levels of $what with the id of the request, and lives on",
  async ({ open, close, end }) => {
    const client = connectLines(createInteropServer());
    client.send(initialize());
    await client.next();
    const deep = open.repeat(1_000_000) + end + close.repeat(1_000_000);
    client.send(
      `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"greet","arguments":{"name":${deep}}}}`,
      ping,
    );
    expect(await client.next()).toMatchObject({ id: 7, error: { code: -32600 } });
    expect(await client.next()).toMatchObject({ id: "ping", result: {} });
  },
);

test("serveStdio() refuses a line without an end, keeps nothing of it, and lives on", async () => {
  const client = startLines("interop-stdio.ts");
  client.send(initialize());
  await client.next();
  const before = await measurePeak(client);
  const piece = Buffer.alloc(1024 * 1024, "x");
  for (let count = 0; count < 300; count++) await client.write(piece);
  expect(await client.next()).toMatchObject({
    error: { code: -32600, message: expect.stringMatching(/longer than 16777216 bytes/) },
  });
  client.send("");
  client.send(ping);
  expect(await client.next()).toMatchObject({ id: "ping", result: {} });
  expect((await measurePeak(client)) - before).toBeLessThan(150);
});

/** The most memory that the server has used so far, in MiB. */
async function measurePeak(client: {
  send(message: object): void;
  next(): Promise<RpcAnswer>;
}): Promise<number> {
  client.send(request("memory", "tools/call", { name: "peak_memory", arguments: {} }));
  const { result } = await client.next();
  return Number((result as { content: [{ text: string }] }).content[0].text);
}

import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { defineTool } from "../../src/kernel/index.ts";
import { Operator, serveOperator } from "../../src/server/index.ts";
import { createTestExecutor } from "../support/test-executor.ts";

const signals: AbortSignal[] = [];
const parameters = { type: "object" } as const;
const tools = [
  defineTool({
    name: "say",
    description: "Says it.",
    parameters,
    execute: (params) => JSON.stringify(params),
  }),
  defineTool({
    name: "wait",
    description: "Waits until it is stopped.",
    parameters,
    execute: (_params, { signal }) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    },
  }),
];

/** A folder that is this user's alone, as haft's home is. */
function privateFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "haft-operator-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function serve(path = join(privateFolder(), "operator.sock")): Promise<string> {
  const { registry, executor } = createTestExecutor(tools);
  const socket = await serveOperator(new Operator({ registry, executor, context: {} }), path);
  onTestFinished(() => socket.close());
  return path;
}

async function open(path: string): Promise<{ socket: Socket; next: () => Promise<unknown> }> {
  const socket = connect(path);
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve, reject) =>
    socket.once("connect", () => resolve(undefined)).once("error", reject),
  );
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  return { socket, next: async () => JSON.parse(String((await lines.next()).value)) as unknown };
}

/** As a program does that listens there and is killed. */
async function leaveSocket(path: string): Promise<void> {
  const program = `require("node:net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
  await new Promise((resolve) => spawn(process.execPath, ["-e", program]).once("exit", resolve));
  expect(statSync(path).isSocket()).toBe(true);
}

test("requests are lines, however they come in pieces, and are answered by lines with their ids", async () => {
  const { socket, next } = await open(await serve());
  socket.write('{"type":"tool","id":"a","name":"say","inp');
  await new Promise((resolve) => setImmediate(resolve));
  socket.write('ut":{"n":1}}\n{"type":"tool","id":"b","name":"say"}\n\nno JSON\n');
  const answers = [await next(), await next(), await next()] as { id?: string }[];
  const ofCall = (id: string) => answers.find((answer) => answer.id === id);
  expect(ofCall("a")).toEqual({ type: "tool_result", id: "a", content: '{"n":1}' });
  expect(ofCall("b")).toEqual({ type: "tool_result", id: "b", content: "{}" });
  expect(answers).toContainEqual({ type: "error", error: expect.any(String), code: "INVALID_REQUEST" });
});

test("who has said all and listens still gets the answers, and is let go then", async () => {
  const socket = connect(await serve());
  socket.end('{"type":"tool","id":"a","name":"say"}');
  expect(JSON.parse(await text(socket))).toEqual({ type: "tool_result", id: "a", content: "{}" });
});

test("a dispatch and the calls after it may come in one write; a dispatch that failed ends the connection", async () => {
  const { registry, executor } = createTestExecutor(tools);
  const path = join(privateFolder(), "operator.sock");
  const ready = () => new Promise<void>((resolve) => setImmediate(resolve));
  const hasAgent = (id: string) => id === "writer";
  const operator = new Operator({ registry, executor, context: {}, ready, hasAgent });
  const served = await serveOperator(operator, path);
  onTestFinished(() => served.close());
  const lines = (...messages: object[]) => messages.map((one) => `${JSON.stringify(one)}\n`).join("");
  const socket = connect({ path, allowHalfOpen: true });
  socket.write(
    lines(
      { type: "tool", id: "first", name: "say" },
      { type: "dispatch", id: "d", agentID: "writer", context: { tools: [] } },
      { type: "tool", id: "second", name: "say" },
      { type: "dispatch", id: "e", agentID: "ghost" },
      { type: "tool", id: "third", name: "say" },
    ),
  );
  const answers = (await text(socket)).trimEnd().split("\n");
  socket.destroy();
  const byId = Object.fromEntries(
    answers.map((line) => JSON.parse(line) as { id: string }).map((answer) => [answer.id, answer]),
  );
  expect(byId).toMatchObject({
    first: { content: "{}" },
    d: { type: "dispatched" },
    second: { code: "TOOL_NOT_AVAILABLE" },
    e: { code: "AGENT_NOT_FOUND" },
    third: { code: "SESSION_NOT_FOUND" },
  });
});

test("a line that is too long is refused, and the next one is taken", async () => {
  const { socket, next } = await open(await serve());
  socket.write(`{"type":"tool","name":"${"x".repeat(1_048_576)}"}\n{"type":"tool","id":"b","name":"say"}\n`);
  expect(await next()).toMatchObject({ type: "error", code: "CONTEXT_TOO_LARGE" });
  expect(await next()).toMatchObject({ id: "b", content: "{}" });
});

test("a call is cancelled when its operator goes away, though it said before that it has said all", async () => {
  const path = await serve();
  for (const leave of [(socket: Socket) => socket.destroy(), (socket: Socket) => socket.end()]) {
    const before = signals.length;
    const { socket } = await open(path);
    socket.write('{"type":"tool","name":"wait"}\n');
    await vi.waitFor(() => expect(signals.length).toBe(before + 1), 30_000);
    leave(socket);
    setImmediate(() => socket.destroy());
    await vi.waitFor(() => expect(signals[before]?.aborted).toBe(true), 30_000);
  }
});

test("a socket is made only where no other user can come", async () => {
  const folder = privateFolder();
  const shared = join(folder, "shared");
  mkdirSync(shared);
  chmodSync(shared, 0o755);
  await expect(serve(join(shared, "o.sock"))).rejects.toMatchObject({
    code: "LISTEN_FAILED",
    message: expect.stringContaining("chmod 700"),
  });
  await serve(join(folder, "made", "o.sock"));
  expect(statSync(join(folder, "made")).mode & 0o777).toBe(0o700);
  await expect(serve(join(folder, "x".repeat(120)))).rejects.toThrow("longer than 103 bytes");
});

test("what a haft that was killed left behind is replaced; a living one, and what is no socket, are not", async () => {
  const folder = privateFolder();
  const dead = join(folder, "dead.sock");
  const server = createServer().listen(dead);
  await new Promise((resolve) => server.once("listening", resolve));
  await expect(serve(dead)).rejects.toMatchObject({ code: "LISTEN_BUSY" });
  server.close();
  const left = join(folder, "left.sock");
  await leaveSocket(left);
  await serve(left);
  const file = join(folder, "file");
  writeFileSync(file, "mine");
  await expect(serve(file)).rejects.toMatchObject({ code: "LISTEN_FAILED" });
  expect(readFileSync(file, "utf8")).toBe("mine");
});

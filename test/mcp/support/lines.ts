import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import {
  type McpServer,
  type StdioConnection,
  type StdioOptions,
  serveStdio,
} from "../../../src/server/mcp/index.ts";

export interface RpcAnswer {
  readonly jsonrpc: "2.0";
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client of lines: it sends what it is told to and reads one message after the other. */
export interface LineClient {
  send(...messages: (string | Buffer | object)[]): void;
  /** The next message that the server sent. */
  next(): Promise<RpcAnswer>;
  /** Everything that came and was not read yet. */
  readonly unread: readonly RpcAnswer[];
  /** Ends the server's input. */
  end(): void;
  readonly closed: Promise<unknown>;
}

/** Talks with a server in this process. */
export function connectLines(
  server: McpServer,
  options: Omit<StdioOptions, "streams"> = {},
): LineClient & {
  readonly connection: StdioConnection;
  readonly output: PassThrough;
} {
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark: 64 * 1024 });
  const connection = serveStdio(server, { ...options, streams: { input, output } });
  onTestFinished(() => {
    connection.close();
    server.close();
  });
  return { ...createClient(input, output), connection, output, closed: connection.closed };
}

/** Talks with a server in a process of its own. */
export function startLines(file: string): LineClient & { readonly write: (bytes: Buffer) => Promise<void> } {
  const path = fileURLToPath(new URL(`../../fixtures/mcp/${file}`, import.meta.url));
  const child = spawn(process.execPath, [path], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const closed = once(child, "exit");
  const write = (bytes: Buffer) => new Promise<void>((resolve) => child.stdin.write(bytes, () => resolve()));
  return { ...createClient(child.stdin, child.stdout), closed, write };
}

function createClient(
  input: NodeJS.WritableStream,
  output: NodeJS.ReadableStream,
): Omit<LineClient, "closed"> {
  const unread: RpcAnswer[] = [];
  let wake = () => {};
  let rest = "";
  output.setEncoding("utf8");
  output.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) unread.push(JSON.parse(line) as RpcAnswer);
    wake();
  });
  return {
    unread,
    send(...messages) {
      for (const message of messages) {
        const isText = typeof message === "string" || Buffer.isBuffer(message);
        input.write(isText ? message : JSON.stringify(message));
        input.write("\n");
      }
    },
    async next() {
      while (unread.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return unread.shift() as RpcAnswer;
    },
    end: () => void input.end(),
  };
}

const clientInfo = { name: "test", version: "1.0.0" };

export function initialize(protocolVersion = "2025-11-25", capabilities: object = {}): object {
  return {
    jsonrpc: "2.0",
    id: "init",
    method: "initialize",
    params: { protocolVersion, capabilities, clientInfo },
  };
}

/** The `_meta` of a request of 2026-07-28. */
export function modernMeta(capabilities: object = {}, more: object = {}): Record<string, unknown> {
  return {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": clientInfo,
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...more,
  };
}

export function request(id: string | number, method: string, params?: object): object {
  return { jsonrpc: "2.0", id, method, params };
}

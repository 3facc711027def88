import { onTestFinished } from "vitest";
import { type RawData, WebSocket } from "ws";
import { type HttpListener, openListener } from "../../src/host/index.ts";
import { sourceRanks, type Tool, type ToolExecutor, type ToolRegistry } from "../../src/kernel/index.ts";
import { type BridgeSource, createBridgeSource } from "../../src/server/bridge/bridge-source.ts";
import { BridgePasses } from "../../src/server/bridge/passes.ts";
import type { FakeClock } from "../../src/testing/index.ts";
import { createTestExecutor } from "./test-executor.ts";

export interface TestBridge {
  readonly bridge: BridgeSource;
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  readonly listener: HttpListener;
  readonly passes: BridgePasses;
  /** Of the passes and the executor. */
  readonly clock: FakeClock;
  /** A host program that is let in. */
  readonly join: (options?: JoinOptions) => Promise<TestHost>;
}

export interface JoinOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
  readonly path?: string;
  /** @default true */
  readonly autoPong?: boolean;
}

/** A bridge behind a real listener, on a registry with these tools. */
export async function openTestBridge({
  tools = [],
  pingMs,
  onError,
}: {
  readonly tools?: readonly Tool[];
  readonly pingMs?: number;
  readonly onError?: (error: unknown) => void;
} = {}): Promise<TestBridge> {
  const { executor, registry, clock } = createTestExecutor(tools);
  const key = "a key of the bridge, long enough for it";
  const passes = new BridgePasses(key, clock);
  const bridge = createBridgeSource({
    openToolSource: (name) => registry.source(name, sourceRanks.mcp),
    key,
    clock,
    ...(pingMs !== undefined && { pingMs }),
    ...(onError !== undefined && { onError }),
  });
  await bridge.start();
  const listener = await openListener({
    port: 0,
    handler: (request, response) =>
      bridge.owns(request) ? bridge.handler(request, response) : void response.writeHead(404).end(),
    upgrade: bridge.upgrade,
  });
  onTestFinished(async () => {
    await bridge.close();
    await listener.close(0);
  });
  const join = async (options: JoinOptions = {}) => {
    const {
      token = passes.issueToken(60_000),
      headers,
      protocols = ["haft.bridge.v1"],
      path = "/bridge/socket",
    } = options;
    const socket = new WebSocket(`ws://127.0.0.1:${listener.port}${path}`, [...protocols], {
      headers: { authorization: `Bearer ${token}`, ...headers },
      autoPong: options.autoPong ?? true,
    });
    onTestFinished(() => socket.terminate());
    return TestHost.open(socket);
  };
  return { bridge, registry, executor, listener, passes, clock, join };
}

type Message = Record<string, unknown>;

/** The program at the other end, told by the test what to say. */
export class TestHost {
  readonly socket: WebSocket;
  readonly #waiting: Message[] = [];
  readonly #readers: ((message: Message) => void)[] = [];
  /** Code and reason of the end. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data: RawData) => this.#take(JSON.parse((data as Buffer).toString()) as Message));
    this.closed = new Promise((resolve) => {
      socket.once("close", (code, reason) => resolve({ code, reason: reason.toString() }));
    });
  }

  /** Rejects with the status and the body of an answer that is no WebSocket. */
  static open(socket: WebSocket): Promise<TestHost> {
    const host = new TestHost(socket);
    return new Promise((resolve, reject) => {
      socket.once("open", () => resolve(host));
      socket.on("error", reject);
      socket.once("unexpected-response", (_request, response) => {
        let body = "";
        response.on("data", (piece: Buffer) => void (body += piece.toString()));
        response.on("end", () => reject(new Error(`${response.statusCode} ${body}`)));
      });
    });
  }

  say(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  /** The next message of haft. */
  hear(): Promise<Message> {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) return Promise.resolve(waiting);
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  /** Announces tools and gives what became of each. */
  async announce(tools: readonly unknown[], host = "laptop"): Promise<unknown> {
    this.say({ type: "announce", host, tools });
    const answer = await this.hear();
    return answer["type"] === "announced" ? answer["tools"] : answer;
  }

  #take(message: Message): void {
    const reader = this.#readers.shift();
    if (reader === undefined) this.#waiting.push(message);
    else reader(message);
  }
}

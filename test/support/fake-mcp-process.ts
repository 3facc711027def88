import { PassThrough } from "node:stream";
import { parseJson } from "../../src/base/index.ts";
import type { OpenProcess } from "../../src/host/index.ts";
import type { McpClientServices } from "../../src/mcp/index.ts";
import { type ChaosClient, ChaosMcpServer, type ChaosOptions } from "../../src/testing/index.ts";

/** What a fake server does with one message. */
export type Receive = (message: Record<string, unknown>, client: ChaosClient) => void;

export interface FakeProcesses {
  readonly processes: McpClientServices["processes"];
  /** How many were started. */
  readonly starts: () => number;
  /** Every message that was sent to any of them. */
  readonly received: Record<string, unknown>[];
  /** Ends the one that runs, as a crash would. */
  readonly crash: () => void;
  /** What it said on its other output. */
  readonly stderr: { text: string };
}

/** Processes that are none: each start makes a server in this program, so that tests move its time. */
export function fakeProcesses(serve: () => Receive): FakeProcesses {
  let starts = 0;
  let crash = (): void => {
    throw new Error("Cannot crash a process: none was started yet");
  };
  const received: Record<string, unknown>[] = [];
  const stderr = { text: "" };
  const open = async (): Promise<OpenProcess> => {
    starts++;
    const receive = serve();
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const ended = Promise.withResolvers<{ exitCode: number; signal: undefined; remaining: number }>();
    const end = (exitCode: number) => {
      stdout.end();
      ended.resolve({ exitCode, signal: undefined, remaining: 0 });
    };
    crash = () => end(7);
    const client: ChaosClient = {
      write: (text) => void stdout.write(text),
      crash,
      isOpen: () => !stdout.closed,
    };
    let rest = "";
    stdin.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = parseJson(line) as Record<string, unknown>;
        received.push(message);
        receive(message, client);
      }
    });
    return {
      pid: starts,
      stdin,
      stdout,
      stderrTail: () => stderr.text,
      ended: ended.promise,
      close: async () => end(0),
    };
  };
  return { processes: { open }, starts: () => starts, received, crash: () => crash(), stderr };
}

/** Chaos, each time anew or the same one again. */
export function chaosIn(options: ChaosOptions | ChaosMcpServer = {}): () => Receive {
  return () => {
    const server = options instanceof ChaosMcpServer ? options : new ChaosMcpServer(options);
    return (message, client) => server.receive(message, client, (json) => `${json}\n`);
  };
}

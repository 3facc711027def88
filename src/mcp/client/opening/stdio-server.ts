import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isRecord, parseJson } from "../../../base/index.ts";
import type { OpenProcess } from "../../../host/index.ts";
import { LineReader } from "../../../host/index.ts";
import { McpError } from "../../errors.ts";
import { tooLarge } from "../faults.ts";
import { limits } from "../limits.ts";
import type { Pace } from "../pace.ts";

export interface StdioEvents {
  /** Something that is no message, such as a line of a log. */
  readonly stray: () => void;
  /** A message was too large to be read: nobody knows whose answer it was. */
  readonly lost: (error: McpError) => void;
}

/** What a server is talked with by: a process, or what has its streams. */
export type LinePeer = Pick<OpenProcess, "pid" | "stdin" | "stdout" | "close">;

/** A server that speaks in lines, and the messages that it writes. One transport at a time has them. */
export class StdioServer {
  readonly peer: LinePeer;
  readonly #name: string;
  readonly #pace: Pace;
  readonly #events: StdioEvents;
  #transport: StdioTransport | undefined;
  #reading = false;
  #over = false;
  #unsent = "";

  constructor(name: string, peer: LinePeer, pace: Pace, events: StdioEvents) {
    this.peer = peer;
    this.#name = name;
    this.#pace = pace;
    this.#events = events;
  }

  /** The process has ended, or says nothing any more. */
  get over(): boolean {
    return this.#over;
  }

  /** @param keep whether the process goes on when this transport is closed */
  transport(keep: { value: boolean }): Transport {
    this.#transport = new StdioTransport(this, keep);
    return this.#transport;
  }

  begin(): void {
    if (this.#reading) return;
    this.#reading = true;
    this.#read();
  }

  leave(transport: StdioTransport): void {
    if (this.#transport === transport) this.#transport = undefined;
  }

  async write(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.peer;
    if (this.#over) throw ended(this.#name);
    if (stdin.writableLength + this.#unsent.length > limits.unreadBytes) {
      throw new McpError(
        "MCP_UNAVAILABLE",
        `Cannot ask the MCP server "${this.#name}": it does not read what it is sent; restart it`,
      );
    }
    if ("method" in message && "id" in message) this.#pace.expect();
    // What is asked in one turn of the event loop leaves in one piece.
    if (this.#unsent === "") process.nextTick(() => this.#send());
    this.#unsent += `${JSON.stringify(message)}\n`;
  }

  #send(): void {
    const text = this.#unsent;
    this.#unsent = "";
    this.peer.stdin.write(text);
  }

  /** Takes each chunk as it comes. One that comes too fast has the server wait, and then everything it says. */
  #read(): void {
    const { stdout } = this.peer;
    let lines = 0;
    const reader = new LineReader(limits.messageBytes, {
      line: (bytes) => {
        lines++;
        this.#take(bytes.toString("utf8"));
      },
      tooLong: () => this.#events.lost(tooLarge(this.#name)),
    });
    const fail = (error: unknown) => {
      if (this.#over) return;
      if (error instanceof McpError) this.#events.lost(error);
      this.#end();
      stdout.destroy();
    };
    stdout.on("data", (chunk: Buffer) => {
      if (this.#over) return;
      try {
        lines = 0;
        reader.push(chunk);
        const waiting = this.#pace.take(lines);
        if (waiting === undefined) return;
        stdout.pause();
        waiting.then(() => stdout.resume(), fail);
      } catch (error) {
        fail(error);
      }
    });
    stdout.on("end", () => {
      if (this.#over) return;
      reader.end();
      this.#end();
    });
    stdout.on("error", fail);
    // A stream that is destroyed under its reader, as the process has ended, has no other end.
    stdout.on("close", () => this.#end());
    if (stdout.destroyed) this.#end();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    void this.peer.close(0);
    this.#transport?.onclose?.();
  }

  #take(line: string): void {
    const read = parseJson(line);
    const messages: unknown[] = Array.isArray(read) ? read : [read];
    for (const message of messages) {
      if (isRecord(message) && message["jsonrpc"] === "2.0")
        this.#transport?.onmessage?.(message as unknown as JSONRPCMessage);
      else this.#events.stray();
    }
  }
}

class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  // By these two the package knows a transport of its own kind.
  readonly pid: number;
  readonly stderr = null;
  readonly #server: StdioServer;
  readonly #keep: { readonly value: boolean };

  constructor(server: StdioServer, keep: { readonly value: boolean }) {
    this.pid = server.peer.pid;
    this.#server = server;
    this.#keep = keep;
  }

  async start(): Promise<void> {
    this.#server.begin();
    if (this.#server.over) this.onclose?.();
  }

  send(message: JSONRPCMessage): Promise<void> {
    return this.#server.write(message);
  }

  async close(): Promise<void> {
    this.#server.leave(this);
    if (!this.#keep.value) void this.#server.peer.close();
    this.onclose?.();
  }
}

function ended(name: string): McpError {
  return new McpError(
    "MCP_UNAVAILABLE",
    `Cannot ask the MCP server "${name}": its process has ended; see its log`,
  );
}

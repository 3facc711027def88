import { randomUUID } from "node:crypto";
import { LineReader, openStandardInput } from "../../host/index.ts";
import type { Outlet } from "./calls/call.ts";
import type { ClientSource } from "./client.ts";
import type { ServerCore } from "./core.ts";
import { receiveBatch } from "./http/batch.ts";
import type { McpServer } from "./mcp-server.ts";
import type { Exchange } from "./messages/exchange.ts";
import { formatOwner } from "./messages/handle.ts";
import {
  errorText,
  isRequestId,
  mayEndWithId,
  type RequestId,
  type RpcMessage,
  type RpcRequest,
  readJson,
  readMessage,
  requestIdIn,
} from "./messages/message.ts";
import { invalidRequest, toRpcError } from "./messages/rpc-error.ts";
import { Writer, type WriterOutput } from "./messages/writer.ts";
import { isModern, serveModern } from "./modern.ts";
import { getCore } from "./server.ts";
import { Session } from "./session.ts";

/** The streams of one client's messages and of the answers. Neither is closed by the server. */
export interface StdioStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: WriterOutput;
}

/** The bounds of one connection. */
export interface StdioOptions {
  /** @default `process.stdin` and `process.stdout` */
  readonly streams?: StdioStreams;
  /** A longer message is refused and skipped; nothing of it is kept. @default 16 MiB */
  readonly maxLineBytes?: number;
  /** How long calls may run on once the input has ended, before they are cancelled. @default 30,000 */
  readonly drainMs?: number;
}

/** One client on two streams, until either of them ends. */
export interface StdioConnection {
  /** Resolves when the input has ended and what ran is answered, or when nobody reads the answers any more. */
  readonly closed: Promise<void>;
  /** Cancels what runs, and ends. */
  close(): void;
}

/**
 * Serves one client over standard input and output, or any other two streams, in every revision. A line that is
 * no message is answered with an error, and the connection lives on.
 *
 * @example
 * ```ts
 * import { PassThrough } from "node:stream";
 * const registry = new ToolRegistry();
 * const server = createMcpServer({
 *   registry,
 *   executor: new ToolExecutor(registry),
 *   name: "my-tools",
 *   version: "1.0.0",
 * });
 * const [input, output] = [new PassThrough(), new PassThrough()];
 * const { closed } = serveStdio(server, { streams: { input, output } }); // without streams: stdin and stdout
 * input.end("no message\n");
 * await closed;
 * JSON.parse(String(output.read())).error.code; // → -32700
 * ```
 */
export function serveStdio(server: McpServer, options: StdioOptions = {}): StdioConnection {
  return new Connection(getCore(server), options);
}

/** While more than this waits for the client to read, nothing more is taken from it. */
const mostUnread = 4 * 1024 * 1024;

class Connection implements StdioConnection {
  readonly closed: Promise<void>;
  readonly #core: ServerCore;
  readonly #input: NodeJS.ReadableStream;
  readonly #writer: Writer;
  readonly #maxLineBytes: number;
  readonly #drainMs: number;
  readonly #from: ClientSource = { transport: "stdio", principal: "local", session: randomUUID() };
  readonly #session: Session;
  readonly #exchanges = new Map<RequestId, Exchange>();
  readonly #removeCloser: () => void;
  #resolveClosed: () => void = () => {};
  #unanswered = 0;
  #inputEnded = false;
  #ended = false;
  #cancelDrain: (() => void) | undefined;

  constructor(core: ServerCore, options: StdioOptions) {
    const { input, output } = options.streams ?? { input: openStandardInput(), output: process.stdout };
    this.#core = core;
    this.#input = input;
    this.#maxLineBytes = options.maxLineBytes ?? 16 * 1024 * 1024;
    this.#drainMs = options.drainMs ?? 30_000;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#writer = new Writer(output, {
      limit: mostUnread,
      full: () => input.pause(),
      drained: () => input.resume(),
      failed: () => this.close(),
    });
    this.#session = new Session(core, this.#from);
    this.#session.openStanding({ send: (message) => this.#writer.write(message), end: () => {} });
    this.#removeCloser = core.onClose(() => this.close());
    this.#read();
  }

  close(): void {
    const reason = new Error("The connection was closed");
    this.#session.close(reason);
    for (const exchange of this.#exchanges.values()) exchange.cancel(reason);
    void this.#end();
  }

  #read(): void {
    const lines = new LineReader(this.#maxLineBytes, {
      line: (bytes) => this.#receive(bytes),
      tooLong: (head) => {
        if (!mayEndWithId(head.toString())) this.#refuseLong(requestIdIn(head.toString(), ""));
      },
      skipped: (head, tail) => {
        if (mayEndWithId(head.toString())) this.#refuseLong(requestIdIn(head.toString(), tail.toString()));
      },
    });
    this.#input.on("data", (chunk: Buffer | string) =>
      lines.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk),
    );
    this.#input.on("end", () => {
      lines.end();
      this.#drain();
    });
    this.#input.on("error", () => this.#drain());
  }

  #refuseLong(id: RequestId | undefined): void {
    const why = `it is longer than ${this.#maxLineBytes} bytes; send less at once`;
    this.#writer.write(errorText(id, invalidRequest(`Cannot read the message: ${why}`)));
  }

  #receive(bytes: Buffer): void {
    try {
      const value = readJson(bytes);
      if (Array.isArray(value)) receiveBatch(this.#session, value, bytes.length, () => this.#openOutlet());
      else {
        const message = readMessage(value, bytes.length);
        if (message.kind === "request") this.#request(message);
        else this.#take(message);
      }
    } catch (thrown) {
      this.#writer.write(errorText(undefined, toRpcError(thrown, this.#core.onError)));
    }
  }

  #take(message: Exclude<RpcMessage, RpcRequest>): void {
    switch (message.kind) {
      case "notification":
        if (message.method === "notifications/cancelled") this.#cancel(message.params["requestId"]);
        this.#session.notification(message);
        return;
      case "response":
        this.#session.response(message);
        return;
      case "invalid":
        this.#writer.write(errorText(message.id, message.error));
        return;
      default:
        message satisfies never;
    }
  }

  #request(request: RpcRequest): void {
    const { id } = request;
    if (!isModern(request)) {
      this.#session.request(request, this.#openOutlet());
      return;
    }
    if (this.#exchanges.has(id)) {
      const error = invalidRequest("Cannot take the request: another one with its id is not answered yet");
      this.#writer.write(errorText(id, error));
      return;
    }
    const outlet = this.#openOutlet(() => this.#exchanges.delete(id));
    const exchange = serveModern(this.#core, request, outlet, this.#from);
    if (exchange?.onCancel !== undefined) this.#exchanges.set(id, exchange);
  }

  #cancel(requestId: unknown): void {
    if (isRequestId(requestId))
      this.#exchanges.get(requestId)?.cancel(new Error("The client cancelled the request"));
  }

  #openOutlet(closed?: () => void): Outlet {
    this.#unanswered++;
    return new LineOutlet(this.#writer, () => {
      closed?.();
      this.#unanswered--;
      if (this.#inputEnded && this.#unanswered === 0) void this.#end();
    });
  }

  /** Nothing more comes in: what runs may end, but nobody can be asked any more. */
  #drain(): void {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    this.#session.hangUp();
    this.#core.parked.close(formatOwner(this.#from));
    for (const exchange of this.#exchanges.values()) {
      if (exchange.method === "subscriptions/listen") exchange.cancel(new Error("The client closed its end"));
    }
    if (this.#unanswered === 0) void this.#end();
    else this.#cancelDrain = this.#core.clock.after(this.#drainMs, () => this.close());
  }

  async #end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    this.#cancelDrain?.();
    this.#removeCloser();
    this.#input.pause();
    this.#core.parked.close(formatOwner(this.#from));
    await this.#writer.emptied();
    this.#resolveClosed();
  }
}

class LineOutlet implements Outlet {
  readonly #writer: Writer;
  readonly #done: () => void;

  constructor(writer: Writer, done: () => void) {
    this.#writer = writer;
    this.#done = done;
  }

  get open(): boolean {
    return this.#writer.open;
  }

  send(message: string): void {
    this.#writer.write(message);
  }

  end(message: string): void {
    this.#writer.write(message);
    this.#done();
  }

  abandon(): void {
    this.#done();
  }
}

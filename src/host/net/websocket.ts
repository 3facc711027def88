import type { IncomingMessage } from "node:http";
import type { RawData, WebSocket, WebSocketServer } from "ws";
import { type Clock, systemClock } from "../../base/index.ts";
import { refuseUpgrade, type UpgradeHandler } from "./upgrade.ts";

/** One connection, after its handshake. */
export interface WebSocketPeer {
  /** Drops what is sent after the end. A peer that does not read what it was sent is cut off. */
  send(text: string): void;
  /** `reason` is cut to the 123 bytes there are for it. @default 1000 */
  close(code?: number, reason?: string): void;
}

/** What becomes of a connection's messages. */
export interface WebSocketEvents {
  readonly onText: (text: string) => void;
  /** Called once, however it ended. */
  readonly onClose: () => void;
}

export interface WebSocketOptions {
  /** The subprotocol that is spoken. A client that does not offer it is refused. */
  readonly protocol: string;
  /** Asked before anything of the request is taken: undefined lets it in. */
  readonly refuse: (request: IncomingMessage) => UpgradeRefusal | undefined;
  readonly onConnection: (peer: WebSocketPeer, request: IncomingMessage) => WebSocketEvents;
  /** Further ones are refused. @default 8 */
  readonly maxConnections?: number;
  /**
   * The size of one message, in bytes, however many frames it comes in. A longer one ends the connection.
   * @default 4,194,304
   */
  readonly maxMessageBytes?: number;
  /** More than these end the connection. @default 500 */
  readonly maxMessagesPerSecond?: number;
  /** What may wait to be read by the peer. More ends the connection. @default 16,777,216 */
  readonly maxWaitingBytes?: number;
  /** How often a peer is asked whether it is there; one that did not answer by the next time is cut off. @default 15,000 */
  readonly pingMs?: number;
  /** The clock by which messages are counted. @default the system's */
  readonly clock?: Clock;
}

export interface UpgradeRefusal {
  readonly status: number;
  readonly error: string;
}

export interface WebSockets {
  readonly upgrade: UpgradeHandler;
  /** Says goodbye to all, and takes no more. Done when all are gone. */
  close(): Promise<void>;
}

/** Answers WebSocket handshakes: the listener it is given to has checked Host and Origin before. */
export async function openWebSockets(options: WebSocketOptions): Promise<WebSockets> {
  const { WebSocketServer: Server } = await import("ws");
  return new Sockets(options, (settings) => new Server(settings));
}

type Settings = ConstructorParameters<typeof WebSocketServer>[0];

class Sockets implements WebSockets {
  readonly #options: WebSocketOptions;
  readonly #server: WebSocketServer;
  readonly #open = new Set<WebSocket>();
  /** Handshakes under way count too. */
  #taken = 0;
  #isClosed = false;

  constructor(options: WebSocketOptions, createServer: (settings: Settings) => WebSocketServer) {
    this.#options = options;
    this.#server = createServer({
      noServer: true,
      clientTracking: false,
      // Compression costs memory that a peer decides on.
      perMessageDeflate: false,
      maxPayload: options.maxMessageBytes ?? 4_194_304,
      handleProtocols: () => options.protocol,
    });
  }

  readonly upgrade: UpgradeHandler = (request, socket, head) => {
    const refusal = this.#findRefusal(request);
    if (refusal !== undefined) return refuseUpgrade(socket, refusal.status, refusal.error);
    this.#taken++;
    socket.once("close", () => this.#taken--);
    this.#server.handleUpgrade(request, socket, head, (client) => this.#connect(client, request));
  };

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#open, sayGoodbye));
  }

  #findRefusal(request: IncomingMessage): UpgradeRefusal | undefined {
    const { refuse, protocol, maxConnections = 8 } = this.#options;
    if (this.#isClosed) return { status: 503, error: "Cannot connect: haft is going away" };
    const refusal = refuse(request);
    if (refusal !== undefined) return refusal;
    const offered = String(request.headers["sec-websocket-protocol"] ?? "").split(/\s*,\s*/);
    if (!offered.includes(protocol))
      return { status: 400, error: `Cannot connect: the subprotocol spoken here is ${protocol}; offer it` };
    if (this.#taken >= maxConnections) {
      return {
        status: 503,
        error: `Cannot connect: there are ${maxConnections} connections already; end one of them`,
      };
    }
    return undefined;
  }

  #connect(client: WebSocket, request: IncomingMessage): void {
    const { onConnection, maxMessagesPerSecond = 500, clock = systemClock } = this.#options;
    this.#open.add(client);
    const stopPings = this.#watch(client);
    // Told of by its close, which always follows.
    client.on("error", () => client.terminate());
    const events = onConnection(this.#toPeer(client), request);
    const isTooMany = createRate(maxMessagesPerSecond, clock);
    client.on("message", (data, isBinary) => {
      if (isTooMany()) return client.close(1008, `more than ${maxMessagesPerSecond} messages in a second`);
      if (isBinary) return client.close(1003, "only text is spoken here");
      if (client.readyState === client.OPEN) events.onText(toText(data));
    });
    client.once("close", () => {
      stopPings();
      this.#open.delete(client);
      events.onClose();
    });
  }

  #toPeer(client: WebSocket): WebSocketPeer {
    const { maxWaitingBytes = 16_777_216 } = this.#options;
    return {
      send(text) {
        if (client.readyState !== client.OPEN) return;
        if (client.bufferedAmount > maxWaitingBytes) return client.terminate();
        client.send(text);
      },
      close(code = 1000, reason = "") {
        client.close(
          code,
          Buffer.from(reason)
            .subarray(0, 123)
            .toString()
            .replace(/\ufffd$/, ""),
        );
      },
    };
  }

  /** A peer that went away without a word is found out by the pings it does not answer. */
  #watch(client: WebSocket): () => void {
    let isThere = true;
    client.on("pong", () => {
      isThere = true;
    });
    const timer = setInterval(() => {
      if (!isThere) return client.terminate();
      isThere = false;
      client.ping();
    }, this.#options.pingMs ?? 15_000).unref();
    return () => clearInterval(timer);
  }
}

/** Who does not say goodbye in turn must not keep the server open. */
function sayGoodbye(client: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => client.terminate(), 1_000);
    client.once("close", () => {
      clearTimeout(cut);
      resolve();
    });
    client.close(1001, "haft is going away");
  });
}

function createRate(most: number, clock: Clock): () => boolean {
  let second = 0;
  let count = 0;
  return () => {
    const now = Math.floor(clock.now() / 1000);
    if (now !== second) {
      second = now;
      count = 0;
    }
    return ++count > most;
  };
}

function toText(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString();
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString();
}

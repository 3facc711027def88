import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { getErrorMessage } from "../../base/index.ts";
import { HostError } from "../errors.ts";
import { isLoopbackHost, toHttpOrigin } from "./http-address.ts";
import { createOriginCheck, loopbackHosts, type OriginCheck } from "./origin-check.ts";
import { UnidentifiedConnections, type UnidentifiedLimits } from "./unidentified-connections.ts";
import { refuseUpgrade, type UpgradeHandler } from "./upgrade.ts";

/** Answers one request. What it throws is answered with 500. */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** The address to listen on, who may call, and the bounds of a request. */
export interface HttpListenerOptions {
  /** The address to bind. Another than loopback is open to the network: it has to be asked for here. @default "127.0.0.1" */
  readonly host?: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Gets the requests whose Host and Origin are in order. One that fails is answered with 500. */
  readonly handler: HttpHandler;
  /** Gets the requests to go on as WebSocket, after the same checks. @default they are answered as any other */
  readonly upgrade?: UpgradeHandler;
  /** Further names that clients may call this server by (its `Host` header), with or without a port: `haft.example.com`. */
  readonly allowedHosts?: readonly string[];
  /** Web pages that may call, beside those this server sends itself: `https://app.example.com`, `http://localhost:*`. */
  readonly allowedOrigins?: readonly string[];
  /** How long a client may take for its headers. @default 10,000 */
  readonly headersTimeoutMs?: number;
  /** How long a client may take for a whole request; answers may take longer. @default 60,000 */
  readonly requestTimeoutMs?: number;
  /** Bytes of headers. @default 16,384 */
  readonly maxHeaderBytes?: number;
  /** Further connections are dropped. @default 2,048 */
  readonly maxConnections?: number;
  /**
   * Whether a request identifies its sender. Connections without such a request are limited, and the oldest of them is
   * closed for a new one. @default every request does
   */
  readonly isIdentified?: (request: IncomingMessage) => boolean;
  /** @default 64 of an address and 256 in all, and never more than half of `maxConnections` */
  readonly unidentified?: UnidentifiedLimits;
}

/** An open port. */
export interface HttpListener {
  /** `http://127.0.0.1:8787`, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Takes no new requests, lets those under way finish for `graceMs` (2,000), then cuts what is left. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Opens a port for HTTP. Every request is checked before the handler sees it, so that no web page reaches this server
 * through a browser (DNS rebinding): a foreign `Host` or `Origin` is answered with 403.
 *
 * @throws {HostError} LISTEN_BUSY, LISTEN_FAILED
 *
 * @example
 * ```ts
 * const listener = await openListener({ port: 0, handler: (_request, response) => void response.end("hello") });
 * const answer = await fetch(listener.url);
 * await answer.text(); // → "hello"
 * await listener.close();
 * ```
 */
export async function openListener(options: HttpListenerOptions): Promise<HttpListener> {
  const host = options.host ?? "127.0.0.1";
  if (host === "")
    throw new HostError(
      "LISTEN_FAILED",
      'Cannot listen on "": name the address; use "127.0.0.1" for loopback',
    );
  const { createServer } = await import("node:http");
  const check = createOriginCheck({
    hosts: [...loopbackHosts, ...(options.allowedHosts ?? [])],
    origins: options.allowedOrigins,
    // If the network may call, it calls by address too.
    takesAddresses: !isLoopbackHost(host),
  });
  const maxConnections = options.maxConnections ?? 2_048;
  const half = Math.ceil(maxConnections / 2);
  const unidentified = new UnidentifiedConnections(
    options.unidentified ?? { perAddress: Math.min(64, half), inAll: Math.min(256, half) },
    options.isIdentified ?? (() => true),
  );
  const server = createServer(
    {
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      requestTimeout: options.requestTimeoutMs ?? 60_000,
      maxHeaderSize: options.maxHeaderBytes ?? 16_384,
      // How often the two timeouts are looked at.
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 30_000,
      // Of a header that is given twice the first would count here, and perhaps the last for a program in front.
      joinDuplicateHeaders: true,
      // Some clients offer HTTP/2 with every request, and are content to go on without it.
      shouldUpgradeCallback: ({ headers }) =>
        options.upgrade !== undefined && headers.upgrade?.toLowerCase() === "websocket",
    },
    createGuard(check, (request, response) => {
      unidentified.see(request);
      return options.handler(request, response);
    }),
  );
  server.on("connection", (socket) => unidentified.add(socket, socket.remoteAddress ?? ""));
  const upgraded = takeUpgrades(server, check, options.upgrade, unidentified);
  server.maxConnections = maxConnections;
  await bind(server, host, options.port);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;
  let closed: Promise<void> | undefined;
  return {
    url: toHttpOrigin(host, port),
    port,
    close(graceMs = 2_000) {
      closed ??= closeServer(server, upgraded, graceMs);
      return closed;
    },
  };
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(toListenError(error, toHttpOrigin(host, port).slice("http://".length)));
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

function toListenError(error: NodeJS.ErrnoException, where: string): HostError {
  if (error.code === "EADDRINUSE") {
    const message = `Cannot listen on "${where}": another program has that port; choose another, or 0 for any free one`;
    return new HostError("LISTEN_BUSY", message, { cause: error });
  }
  const states: Readonly<Record<string, string>> = {
    EACCES: "ports below 1024 are kept for the system; choose a higher one",
    EADDRNOTAVAIL: "this machine does not have that address; use 127.0.0.1",
    ENOTFOUND: "that name has no address; use 127.0.0.1",
  };
  const state = states[error.code ?? ""] ?? getErrorMessage(error);
  return new HostError("LISTEN_FAILED", `Cannot listen on "${where}": ${state}`, { cause: error });
}

function closeServer(server: Server, upgraded: ReadonlySet<Duplex>, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
    }, graceMs);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
  });
}

/** The handler behind the checks of Host and Origin. */
function createGuard(check: OriginCheck, handler: HttpHandler): RequestListener {
  return (request, response) => {
    const error = check(request.headers);
    if (error !== undefined) return refuse(response, error);
    try {
      const pending = handler(request, response);
      if (pending !== undefined) pending.catch(() => fail(response));
    } catch {
      fail(response);
    }
  };
}

/** The server forgets connections that it has handed over: they are kept here, to be cut at the end. */
function takeUpgrades(
  server: Server,
  check: OriginCheck,
  upgrade: UpgradeHandler | undefined,
  unidentified: UnidentifiedConnections,
): ReadonlySet<Duplex> {
  const upgraded = new Set<Duplex>();
  if (upgrade === undefined) return upgraded;
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    upgraded.add(socket);
    // Whoever takes them over has a bound of its own, and refuses at once.
    unidentified.remove(socket);
    socket.once("close", () => upgraded.delete(socket));
    const error = check(request.headers);
    if (error !== undefined) return refuseUpgrade(socket, 403, error);
    try {
      upgrade(request, socket, head);
    } catch {
      socket.destroy();
    }
  });
  return upgraded;
}

function refuse(response: ServerResponse, error: string): void {
  response
    .writeHead(403, { "content-type": "application/json", connection: "close" })
    .end(JSON.stringify({ error }));
}

function fail(response: ServerResponse): void {
  if (response.headersSent) response.destroy();
  else response.writeHead(500, { "content-type": "application/json" }).end('{"error":"Internal error"}');
}

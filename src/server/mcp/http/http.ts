import { randomUUID } from "node:crypto";
import { loopbackHosts } from "../../../host/index.ts";
import { isJson, sendJson } from "../../http/json.ts";
import { type HttpRequest, type HttpResponse, readHeader } from "../../http/port.ts";
import { readBody } from "../../http/read-body.ts";
import type { ServerCore } from "../core.ts";
import type { McpServer } from "../mcp-server.ts";
import type { Exchange } from "../messages/exchange.ts";
import { errorText, type RpcMessage, type RpcRequest, readJson, readMessage } from "../messages/message.ts";
import { metaKeys, protocolVersions, rpcCodes } from "../messages/protocol.ts";
import { invalidRequest, RpcError, toRpcError, unsupportedVersion } from "../messages/rpc-error.ts";
import { isModern, serveModern } from "../modern.ts";
import { getCore } from "../server.ts";
import { Session } from "../session.ts";
import { Sessions } from "../sessions.ts";
import { receiveBatch } from "./batch.ts";
import { HttpGuard } from "./guard.ts";
import { checkHeaders, saysModern } from "./headers.ts";
import { EventStream, type EventStreamOptions, HttpOutlet } from "./outlet.ts";
import { accepts, refuse, sendAccepted, toClientSource, type Visit } from "./visit.ts";

/** How one endpoint is guarded and bounded. What is left out is the careful choice. */
export interface HttpOptions {
  /**
   * What a client must send as its bearer token: one token, or several, each with the name of whom it is given to.
   * That name is the principal of the client's calls. @default none: everybody who reaches the endpoint may use it
   */
  readonly token?: string | ReadonlyMap<string, string>;
  /** @default "/mcp" */
  readonly path?: string;
  /** The paths of endpoints beside this one, of which a client is told that asks for a path that is none. @default none */
  readonly beside?: readonly string[];
  /**
   * The host names under which the endpoint may be called, in `Host`; a web page may call if its `Origin` is the
   * address it calls, port included. `any` if something in front of the endpoint checks both. @default localhost,
   * 127.0.0.1 and [::1]
   */
  readonly hosts?: readonly string[] | "any";
  /** Further web pages that may call: `https://app.example.com`, `http://localhost:*`. @default none */
  readonly origins?: readonly string[];
  /** A larger message is refused with 413. @default 16 MiB */
  readonly maxBodyBytes?: number;
  /** Sessions of clients of the older revisions; one more ends the one that was used longest ago. @default 1,000 */
  readonly maxSessions?: number;
  /** A session that is not used for so long is over. @default 1,800,000 */
  readonly sessionIdleMs?: number;
  /** How often a quiet stream says that it lives. @default 15,000 */
  readonly keepAliveMs?: number;
}

/** A request handler for node:http; `close` ends its sessions and streams. */
export interface McpHttpHandler {
  (request: HttpRequest, response: HttpResponse): void;
  close(): void;
}

/**
 * Streamable HTTP for every revision at one path: each request of 2026-07-28 stands for itself, older clients get a
 * session. Answers are JSON, and become a stream of events when a call has something to say before its answer.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * const server = createMcpServer({
 *   registry,
 *   executor: new ToolExecutor(registry),
 *   name: "my-tools",
 *   version: "1.0.0",
 * });
 * const handler = createHttpHandler(server, { token: "a-token-of-your-own" });
 * const listener = await openListener({ port: 0, handler });
 * (await fetch(`${listener.url}/mcp`, { method: "POST" })).status; // → 401
 * handler.close();
 * await listener.close();
 * ```
 */
export function createHttpHandler(server: McpServer, options: HttpOptions = {}): McpHttpHandler {
  const endpoint = new Endpoint(getCore(server), options);
  const handler = (request: HttpRequest, response: HttpResponse) => endpoint.handle(request, response);
  return Object.assign(handler, { close: () => endpoint.close() });
}

class Endpoint {
  readonly #core: ServerCore;
  readonly #guard: HttpGuard;
  readonly #path: string;
  readonly #beside: readonly string[];
  readonly #maxBodyBytes: number;
  readonly #sessions: Sessions;
  readonly #streamOptions: EventStreamOptions;
  /** Requests of 2026-07-28 that are not answered yet. */
  readonly #exchanges = new Set<Exchange>();
  readonly #removeCloser: () => void;

  constructor(core: ServerCore, options: HttpOptions) {
    this.#core = core;
    const { hosts = loopbackHosts, origins, token } = options;
    this.#guard = new HttpGuard({ origins: hosts === "any" ? undefined : { hosts, origins }, tokens: token });
    this.#path = options.path ?? "/mcp";
    this.#beside = options.beside ?? [];
    this.#maxBodyBytes = options.maxBodyBytes ?? 16 * 1024 * 1024;
    this.#sessions = new Sessions({
      max: options.maxSessions ?? 1000,
      idleMs: options.sessionIdleMs ?? 1_800_000,
      clock: core.clock,
    });
    this.#streamOptions = { clock: core.clock, keepAliveMs: options.keepAliveMs ?? 15_000 };
    this.#removeCloser = core.onClose(() => this.close());
  }

  close(): void {
    this.#removeCloser();
    this.#sessions.close();
    for (const exchange of this.#exchanges) exchange.cancel(new Error("The server was closed"));
  }

  handle(request: HttpRequest, response: HttpResponse): void {
    request.on("error", () => {});
    response.on("error", () => {});
    if ((request.url ?? "").split("?", 1)[0] !== this.#path) {
      refuse({ request, response }, 404, `Cannot find anything here; ${this.#wayFor(request)}`);
      return;
    }
    const admitted = this.#guard.admit(request);
    if (typeof admitted !== "string") {
      refuse({ request, response }, admitted.status, admitted.message, admitted.headers);
      return;
    }
    const visit = { request, response, principal: admitted };
    if (request.method === "POST") this.#post(visit);
    else if (request.method === "GET") this.#get(visit);
    else if (request.method === "DELETE") this.#delete(visit);
    else
      refuse(visit, 405, "Cannot take the request: the methods are POST, GET and DELETE", {
        allow: "POST, GET, DELETE",
      });
  }

  /** Which clients there are is told to those alone who may come in. */
  #wayFor(request: HttpRequest): string {
    const paths = typeof this.#guard.admit(request) === "string" ? this.#beside : [];
    const others = paths.filter((path) => path !== this.#path);
    return others.length === 0
      ? `the endpoint is ${this.#path}`
      : `the endpoints are ${[this.#path, ...others].join(", ")}`;
  }

  #post(visit: Visit): void {
    const { request } = visit;
    if (!isJson(request)) {
      refuse(visit, 415, "Cannot read the message: its Content-Type must be application/json");
      return;
    }
    if (!accepts(request, "application/json") || !accepts(request, "text/event-stream")) {
      const why = "the Accept header must name application/json and text/event-stream";
      refuse(visit, 406, `Cannot answer the message: ${why}`);
      return;
    }
    readBody(request, this.#maxBodyBytes).then(
      (body) => this.#take(visit, body),
      () => undefined, // The client is gone: nobody waits for an answer.
    );
  }

  #take(visit: Visit, body: Buffer | undefined): void {
    const { response } = visit;
    if (body === undefined) {
      const why = `it is longer than ${this.#maxBodyBytes} bytes; send less at once`;
      refuse(visit, 413, `Cannot read the message: ${why}`, { connection: "close" });
      return;
    }
    try {
      this.#receive(visit, body);
    } catch (thrown) {
      const error = toRpcError(thrown, this.#core.onError);
      if (response.headersSent) response.destroy();
      else sendJson(response, { status: error.httpStatus, text: errorText(undefined, error) });
    }
  }

  #receive(visit: Visit, body: Buffer): void {
    const value = readJson(body);
    if (Array.isArray(value)) {
      this.#receiveBatch(visit, value, body.length);
      return;
    }
    const message = readMessage(value, body.length);
    if (message.kind === "invalid")
      sendJson(visit.response, { status: 400, text: errorText(message.id, message.error) });
    else if (message.kind === "request" && (isModern(message) || saysModern(visit.request))) {
      this.#serveModern(visit, message);
    } else if (message.kind === "request" && message.method === "initialize")
      this.#initialize(visit, message);
    else if (message.kind === "notification" && saysModern(visit.request)) sendAccepted(visit.response);
    else this.#inSession(visit, message);
  }

  #serveModern(visit: Visit, message: RpcRequest): void {
    const outlet = new HttpOutlet(visit.response, this.#streamOptions);
    try {
      checkHeaders(this.#core, visit.request, message);
    } catch (thrown) {
      const error = toRpcError(thrown, this.#core.onError);
      outlet.end(errorText(message.id, error), error.httpStatus);
      return;
    }
    const exchange = serveModern(this.#core, message, outlet, toClientSource(visit));
    if (exchange?.onCancel === undefined) return;
    this.#exchanges.add(exchange);
    visit.response.on("close", () => {
      this.#exchanges.delete(exchange);
      outlet.close();
      exchange.cancel(new Error("The client closed the connection"));
    });
  }

  #initialize(visit: Visit, message: RpcRequest): void {
    if (readHeader(visit.request, "mcp-session-id") !== undefined) {
      const error = invalidRequest(
        "Cannot initialize: the session was begun already; leave its id out to begin another",
      );
      sendJson(visit.response, { status: 400, text: errorText(message.id, error) });
      return;
    }
    const session = new Session(this.#core, toClientSource(visit, randomUUID()));
    const outlet = new HttpOutlet(visit.response, this.#streamOptions);
    const id = this.#sessions.add(session, visit.principal);
    outlet.setHeader("mcp-session-id", id);
    session.request(message, outlet);
    if (session.protocolVersion === undefined) this.#sessions.end(id);
  }

  /** A message of a client of 2025-11-25 or before. */
  #inSession(visit: Visit, message: Exclude<RpcMessage, { kind: "invalid" }>): void {
    const { response } = visit;
    const found = this.#findSession(visit);
    if (found instanceof RpcError) {
      const id = message.kind === "request" ? message.id : undefined;
      sendJson(response, { status: found.httpStatus, text: errorText(id, found) });
      return;
    }
    if (message.kind === "request") {
      found.request(message, this.#openOutlet(response));
      return;
    }
    if (message.kind === "notification") found.notification(message);
    else found.response(message);
    sendAccepted(response);
  }

  #receiveBatch(visit: Visit, batch: readonly unknown[], size: number): void {
    const { response } = visit;
    const session = this.#findSession(visit);
    if (session instanceof RpcError) {
      sendJson(response, { status: session.httpStatus, text: errorText(undefined, session) });
      return;
    }
    const answered = receiveBatch(session, batch, size, () => this.#openOutlet(response));
    if (!answered) sendAccepted(response);
  }

  #openOutlet(response: HttpResponse): HttpOutlet {
    const outlet = new HttpOutlet(response, this.#streamOptions);
    response.on("close", () => outlet.close());
    return outlet;
  }

  #get(visit: Visit): void {
    const { request, response } = visit;
    if (!accepts(request, "text/event-stream")) {
      refuse(visit, 406, "Cannot open a stream: the Accept header must name text/event-stream");
      return;
    }
    if (readHeader(request, "mcp-session-id") === undefined) {
      const message = "Cannot open a stream: there is one for sessions only; send requests by POST";
      refuse(visit, 405, message, { allow: "POST" });
      return;
    }
    const session = this.#findSession(visit);
    if (session instanceof RpcError) {
      refuse(visit, session.httpStatus, session.message);
      return;
    }
    const stream = new EventStream(response, this.#streamOptions);
    stream.open();
    const close = session.openStanding(stream);
    response.on("close", close);
  }

  #delete(visit: Visit): void {
    const { request, response } = visit;
    const session = this.#findSession(visit);
    if (session instanceof RpcError) {
      refuse(visit, session.httpStatus, session.message);
      return;
    }
    this.#sessions.end(readHeader(request, "mcp-session-id") as string);
    response.writeHead(204, {});
    response.end();
  }

  #findSession({ request, principal }: Visit): Session | RpcError {
    const version = readHeader(request, "mcp-protocol-version");
    if (version !== undefined && !protocolVersions.includes(version)) return unsupportedVersion(version);
    const id = readHeader(request, "mcp-session-id");
    if (id === undefined) {
      return invalidRequest(
        `Cannot take the message: it belongs to no session; send initialize and then the Mcp-Session-Id it gives you, or carry "${metaKeys.protocolVersion}" in "_meta"`,
      );
    }
    const message = "Cannot find the session: it is over, or never was; send initialize to begin another";
    return (
      this.#sessions.find(id, principal) ??
      new RpcError(rpcCodes.invalidRequest, message, { httpStatus: 404 })
    );
  }
}

import { randomBytes, timingSafeEqual } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { type AddressInfo, connect, type ListenOptions, type LookupFunction, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Duplex, pipeline } from "node:stream";
import { getErrorMessage, showInvisible } from "../../../base/index.ts";
import { HostError } from "../../errors.ts";
import { answerWith, type Resolve, resolveBySystem } from "../../net/connector/agent.ts";
import { AllowedHosts } from "../../net/connector/allowed-hosts.ts";
import { ConnectBounds } from "../../net/connector/bounds.ts";
import { toConnectError } from "../../net/connector/faults.ts";
import { parseWebAddress, type WebAddress } from "../../net/connector/web-address.ts";

export interface ProxyOptions {
  /** See `ProcessBounds`. */
  readonly hosts: readonly string[];
  readonly allowedHosts: readonly string[];
  /** @default the system's resolver */
  readonly resolve?: Resolve;
}

/** The way out of one sandbox: an HTTP proxy. */
export interface Proxy {
  /** Hosts that were asked for and refused, at most 20. */
  readonly refused: readonly string[];
  /** Why one of its hosts could not be looked up or dialled, at most 20 sentences. */
  readonly failed: readonly string[];
  /** Cuts every connection and takes no more. */
  close(): void;
}

const connectTimeoutMs = 10_000;
const headersTimeoutMs = 10_000;
const mostConnections = 256;
const mostRefused = 20;

/** A proxy on a socket in a private folder, for a sandbox in which that socket is mounted. */
export interface SocketProxy extends Proxy {
  readonly socket: string;
}

/** A proxy on a loopback port, for a sandbox that may connect to that port. Others can, too: it asks for the secret. */
export interface LoopbackProxy extends Proxy {
  readonly port: number;
  /** The password of the user `haft`, in basic authentication. */
  readonly secret: string;
}

/**
 * Lets pass what goes to one of the hosts: `CONNECT host:port`, and plain HTTP. A name is looked up here, its addresses
 * are checked as the connector checks them, and a checked one is dialled.
 */
export async function openProxy(options: ProxyOptions): Promise<SocketProxy> {
  const { server, proxy } = await createProxy(options);
  // Only this user may enter a folder made so.
  const folder = mkdtempSync(join(tmpdir(), "haft-proxy-"));
  const socket = join(folder, "socket");
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    await listen(server, { path: socket });
  } catch (error) {
    remove();
    throw error;
  }
  return {
    ...proxy,
    socket,
    close() {
      proxy.close();
      remove();
    },
  };
}

/** Does what {@link openProxy} does, on a port of this machine that only who knows the secret can use. */
export async function openLoopbackProxy(options: ProxyOptions): Promise<LoopbackProxy> {
  const secret = randomBytes(24).toString("base64url");
  const { server, proxy } = await createProxy(options, secret);
  await listen(server, { host: "127.0.0.1", port: 0 });
  const { port } = server.address() as AddressInfo;
  return { ...proxy, port, secret };
}

async function createProxy(
  options: ProxyOptions,
  secret?: string,
): Promise<{ readonly server: Server; readonly proxy: Proxy }> {
  const { createServer } = await import("node:http");
  const gate = new Gate(options);
  const server = createServer({ headersTimeout: headersTimeoutMs, insecureHTTPParser: false });
  const sockets = new Set<Duplex>();
  server.maxConnections = mostConnections;
  server.on("connection", (socket: Socket) => keepUntilClosed(sockets, socket));
  server.on("connect", (request: IncomingMessage, client: Duplex, head: Buffer) => {
    if (!knows(request, secret)) return answerRaw(client, notKnown, challenge);
    void tunnel(request, client, { head, gate, sockets });
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!knows(request, secret)) return void response.writeHead(notKnown.status, challenge).end();
    void forward(request, response, { gate, sockets });
  });
  const close = () => {
    server.close();
    for (const open of sockets) open.destroy();
  };
  return { server, proxy: { refused: gate.refused, failed: gate.failed, close } };
}

interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly text: string;
}

const notKnown: Refusal = { status: 407, reason: "Proxy Authentication Required", text: "" };
const challenge = { "Proxy-Authenticate": 'Basic realm="haft"' };

/** Answers and ends a connection on which Node has left the writing to us: one that asked for a tunnel. */
function answerRaw(
  client: Duplex,
  { status, reason, text }: Refusal,
  headers: Readonly<Record<string, string>>,
): void {
  const all = { ...headers, "Content-Length": Buffer.byteLength(text), Connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  client.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join("")}\r\n${text}`);
}

/** Whether a request brings the secret, where there is one. */
function knows({ headers }: IncomingMessage, secret: string | undefined): boolean {
  if (secret === undefined) return true;
  const given = Buffer.from(headers["proxy-authorization"] ?? "");
  const wanted = Buffer.from(`Basic ${Buffer.from(`haft:${secret}`).toString("base64")}`);
  return given.byteLength === wanted.byteLength && timingSafeEqual(given, wanted);
}

function listen(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, () => {
      server.unref();
      resolve();
    });
  });
}

function keepUntilClosed(sockets: Set<Duplex>, socket: Duplex): void {
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
  socket.on("error", () => socket.destroy());
}

/** Says where this sandbox may connect to. */
class Gate {
  readonly refused: string[] = [];
  readonly failed: string[] = [];
  readonly #hosts: AllowedHosts;
  readonly #bounds: ConnectBounds;
  readonly #resolve: Resolve;

  constructor({ hosts, allowedHosts, resolve = resolveBySystem }: ProxyOptions) {
    this.#hosts = new AllowedHosts(hosts.filter((host) => !host.includes("*")).flatMap(withUsualPorts));
    this.#bounds = new ConnectBounds({ allowedHosts, effects: [] });
    this.#resolve = resolve;
  }

  /** The checked addresses of a target. @throws {HostError} CONNECT_DENIED, CONNECT_BLOCKED, CONNECT_FAILED */
  async open(target: WebAddress): Promise<LookupFunction> {
    if (!this.#hosts.covers(target)) throw this.#refuse(target);
    try {
      this.#bounds.checkHost(target);
      const addresses = target.isLiteral ? [target.host] : await this.#lookUp(target);
      this.#bounds.checkAddresses(target, addresses);
      return answerWith(addresses);
    } catch (error) {
      this.#remember(getErrorMessage(error));
      throw error;
    }
  }

  async #lookUp(target: WebAddress): Promise<readonly string[]> {
    try {
      return await this.#resolve(target.host);
    } catch (error) {
      throw toConnectError(error, target, new AbortController().signal);
    }
  }

  #remember(why: string): void {
    if (this.failed.length < mostRefused && !this.failed.includes(why)) this.failed.push(why);
  }

  #refuse({ url }: WebAddress): HostError {
    if (this.refused.length < mostRefused && !this.refused.includes(url.host)) this.refused.push(url.host);
    return new HostError(
      "CONNECT_DENIED",
      `Cannot connect to "${url.host}": the command was not allowed to; name it in "hosts"`,
    );
  }
}

/** A host without a port is meant with those of the web. */
function withUsualPorts(host: string): string[] {
  const hasPort = /^(\[[^\]]*\]|[^:]*):\d+$/.test(host);
  const name = !hasPort && host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return hasPort ? [host] : [`${name}:443`, `${name}:80`];
}

/** A name in ASCII or an address, and a port: nothing that two readers could understand in two ways. */
const authority = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/;

function parseAuthority(text: string): WebAddress {
  const [, host = "", port = ""] = authority.exec(text) ?? [];
  if (host === "")
    throw new HostError(
      "CONNECT_URL",
      `Cannot connect to "${showInvisible(text.slice(0, 100))}": it is no host and port`,
    );
  return parseWebAddress(`https://${host}:${port}`);
}

interface Tunnelling {
  readonly head: Buffer;
  readonly gate: Gate;
  readonly sockets: Set<Duplex>;
}

async function tunnel(
  { url = "" }: IncomingMessage,
  client: Duplex,
  { head, gate, sockets }: Tunnelling,
): Promise<void> {
  try {
    const target = parseAuthority(url);
    const lookup = await gate.open(target);
    // Gone, or cut off with the sandbox, while the name was looked up.
    if (client.destroyed) return;
    const server = await dial(target, lookup, sockets);
    if (client.destroyed) return void server.destroy();
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    if (head.byteLength > 0) server.write(head);
    client.pipe(server).pipe(client);
    client.on("close", () => server.destroy());
    server.on("close", () => client.destroy());
  } catch (error) {
    answerRaw(client, toRefusal(error), { "Content-Type": "text/plain" });
  }
}

function dial({ host, port }: WebAddress, lookup: LookupFunction, sockets: Set<Duplex>): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup, autoSelectFamily: true });
    keepUntilClosed(sockets, socket);
    socket.setTimeout(connectTimeoutMs, () => socket.destroy(new Error("it did not answer in time")));
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

/** Headers that are between a client and its proxy. */
const hopHeaders = /^(host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  { gate, sockets }: Omit<Tunnelling, "head">,
): Promise<void> {
  try {
    if (!/^http:\/\//i.test(request.url ?? ""))
      throw new HostError(
        "CONNECT_URL",
        "Cannot connect: a proxy is asked for a whole http:// URL, or to CONNECT",
      );
    const target = parseWebAddress(request.url ?? "");
    const lookup = await gate.open(target);
    const { request: send } = await import("node:http");
    if (response.destroyed) return;
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !hopHeaders.test(name)),
    );
    const outgoing = send({
      host: target.host,
      port: target.port,
      method: request.method ?? "GET",
      path: `${target.url.pathname}${target.url.search}`,
      headers: { ...headers, host: target.url.host, connection: "close" },
      lookup,
      agent: false,
      timeout: connectTimeoutMs,
    });
    outgoing.on("socket", (socket) => {
      keepUntilClosed(sockets, socket);
      // How long the answer takes is the command's own matter.
      socket.once("connect", () => outgoing.setTimeout(0));
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("it did not answer in time")));
    outgoing.on("error", (error) => refuse(response, error));
    outgoing.on("response", (answer) => {
      try {
        passOn(answer, response);
      } catch (error) {
        outgoing.destroy();
        refuse(response, error);
      }
    });
    response.on("close", () => outgoing.destroy());
    request.pipe(outgoing);
  } catch (error) {
    refuse(response, error);
  }
}

/** @throws for an answer that may be read, and not be given: of status 99. */
function passOn(answer: IncomingMessage, response: ServerResponse): void {
  const kept = Object.entries(answer.headers).filter(([name]) => !hopHeaders.test(name));
  response.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept) as Record<string, string>);
  // If the server breaks off, so does the answer: whoever reads it would wait for the rest.
  pipeline(answer, response, () => {});
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const { status, text } = toRefusal(error);
  response.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(text);
}

function toRefusal(error: unknown): Refusal {
  const text = `haft: ${getErrorMessage(error)}\n`;
  if (error instanceof HostError && error.code !== "CONNECT_FAILED")
    return { status: 403, reason: "Forbidden", text };
  return { status: 502, reason: "Bad Gateway", text };
}

import type { Readable } from "node:stream";
import type { FetchLike } from "@modelcontextprotocol/client";
import { type Clock, formatBytes } from "../../../base/index.ts";
import {
  type Connector,
  HostError,
  type HttpMethod,
  httpMethods,
  isLoopbackHost,
} from "../../../host/index.ts";
import type { McpServerConfig } from "../config.ts";
import { loginFailed } from "./faults.ts";

export interface AuthFetchOptions {
  readonly server: McpServerConfig & { readonly url: string };
  readonly connector: Pick<Connector, "open">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** `fetch` for what a login needs, and the list of where it may go. */
export interface AuthFetch {
  readonly fetch: FetchLike;
  /** Sends a message to the server itself, and gives the head of its answer. */
  readonly greet: (body: string, headers: Readonly<Record<string, string>>) => Promise<Response>;
  /** The origin of this address may be asked from now on: it is public, or its owner names it. */
  readonly allow: (url: string) => void;
}

const maxBytes = 262_144;
const timeoutMs = 30_000;

/**
 * Everything that is sent for a login goes through here: by https or to this machine, to the server itself, to origins
 * that were allowed and to `auth.hosts`; no address that is not public unless the configuration names it; no redirect
 * to another origin; a small answer in a short time.
 */
export function createAuthFetch({ server, connector, clock, signal }: AuthFetchOptions): AuthFetch {
  const { name, auth } = server;
  const named = [server.url, ...(auth?.issuer === undefined ? [] : [auth.issuer])].map(findOrigin);
  const allowed = new Set<string | undefined>(named);
  async function send(
    input: string | URL,
    init: RequestInit,
    read: (answer: Answer) => Promise<Response>,
  ): Promise<Response> {
    const url = new URL(input);
    checkScheme(name, url);
    const timer = new AbortController();
    const end = clock.after(timeoutMs, () =>
      timer.abort(loginFailed(name, `${url.origin} gave no answer within ${timeoutMs / 1000} s; try again`)),
    );
    const method = init.method?.toUpperCase() as HttpMethod | undefined;
    const both = AbortSignal.any([signal, timer.signal]);
    try {
      const answer = await connector.open(
        {
          url: url.href,
          method: method !== undefined && httpMethods.includes(method) ? method : "GET",
          headers: Object.fromEntries(new Headers(init.headers)),
          ...readBody(init),
          isConfigured: named.includes(url.origin),
        },
        {
          allowedHosts: auth?.hosts ?? [],
          effects: [...allowed].map((origin) => ({ kind: "connect", target: origin ?? "", within: false })),
          signal: both,
        },
      );
      return await read({ ...answer, signal: both });
    } catch (error) {
      throw error instanceof HostError ? notReached(name, url, error) : error;
    } finally {
      end();
    }
  }
  return {
    fetch: (input, init = {}) =>
      send(input, init, async ({ status, headers, body, signal }) => {
        const bytes = await readSmall(name, body, signal);
        const isEmpty = [204, 205, 304].includes(status);
        return new Response(isEmpty ? null : bytes, {
          status: Math.max(200, status),
          headers: plain(headers),
        });
      }),
    greet: (body, more) => {
      const headers = {
        ...more,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      return send(server.url, { method: "POST", headers, body }, async (answer) => {
        letGo(answer.body);
        return new Response(null, { status: Math.max(200, answer.status), headers: plain(answer.headers) });
      });
    },
    allow: (url) => {
      checkScheme(name, new URL(url));
      allowed.add(findOrigin(url));
    },
  };
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  readonly signal: AbortSignal;
}

/** What the SDK sends is a form or JSON, never a stream. */
function readBody({ body }: RequestInit): { readonly body?: string } {
  if (typeof body === "string") return { body };
  return body instanceof URLSearchParams ? { body: body.toString() } : {};
}

/** Without those of the connection, and cookies, which are nobody's here. */
function plain(headers: Answer["headers"]): Record<string, string> {
  const { "set-cookie": _cookies, "content-encoding": _coding, "content-length": _length, ...rest } = headers;
  return rest;
}

function notReached(server: string, { origin, host }: URL, error: HostError): Error {
  const why =
    error.code === "CONNECT_BLOCKED"
      ? `${origin} is no public address; if you mean it, add "${host}" to its "auth" as "hosts"`
      : error.code === "CONNECT_DENIED"
        ? `${origin} is no place of its authorization server; report it to whoever runs it`
        : `${error.message}; try again`;
  return loginFailed(server, why, { cause: error });
}

function findOrigin(url: string): string | undefined {
  return URL.parse(url)?.origin;
}

/** Over plain http a token would be anybody's who is on the way. */
export function checkScheme(server: string, url: URL): void {
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopbackHost(url.hostname))) return;
  throw loginFailed(
    server,
    `it would go by "${url.protocol}//${url.hostname}", where others could read along; use an https:// address`,
  );
}

async function readSmall(
  server: string,
  body: Readable,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  const stop = () => body.destroy(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes)
        throw loginFailed(server, `an answer is over ${formatBytes(maxBytes)}; report it to whoever runs it`);
      chunks.push(chunk);
    }
    return new Uint8Array(Buffer.concat(chunks));
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", stop);
    letGo(body);
  }
}

function letGo(body: Readable): void {
  body.on("error", () => undefined).destroy();
}

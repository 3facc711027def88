import type { Readable } from "node:stream";
import type { FetchLike } from "@modelcontextprotocol/client";
import { type Clock, isRecord, parseJson } from "../../../base/index.ts";
import type { ConnectContext, Connector, HttpMethod } from "../../../host/index.ts";
import { tooLarge } from "../faults.ts";
import { limits } from "../limits.ts";
import type { Pace } from "../pace.ts";

/** How a stream of events ended. */
export interface ExchangeEnd {
  /** The id of the request that it answered; undefined where it answers none. */
  readonly id: string | number | undefined;
  /** The server named a place in the stream from which it can go on. */
  readonly resumable: boolean;
  readonly error: unknown;
}

export interface ServerFetchOptions {
  readonly name: string;
  readonly url: string;
  readonly connector: Pick<Connector, "open">;
  /** Hosts beside the server's own, such as its authorization server. */
  readonly hosts: readonly string[];
  readonly pace: Pace;
  readonly clock: Clock;
  /** Ends everything. */
  readonly signal: AbortSignal;
  readonly onEnd: (end: ExchangeEnd) => void;
}

export interface ServerFetch {
  readonly fetch: FetchLike;
  /** Nobody waits for an answer to the request any more: what the server still has to say of it, it has to say soon. */
  readonly done: (id: string | number) => void;
}

/** How long an exchange may go on after the answer that it was for. */
const lingerMs = 1000;

/**
 * `fetch` for one server: checked and dialled by the host's connector, to the configured origin alone, with every
 * message of an answer bounded. A redirect is given back as it is.
 */
export function createServerFetch(options: ServerFetchOptions): ServerFetch {
  const exchanges = new Map<string | number, AbortController>();
  return {
    fetch: fetchFor({ ...options, exchanges }),
    done: (id) => {
      const exchange = exchanges.get(id);
      if (exchange !== undefined) options.clock.after(lingerMs, () => exchange.abort());
    },
  };
}

interface FetchState extends ServerFetchOptions {
  /** Requests that are sent and not over, by their ids. */
  readonly exchanges: Map<string | number, AbortController>;
}

function fetchFor(options: FetchState): FetchLike {
  const { origin } = new URL(options.url);
  const bounds: Omit<ConnectContext, "signal"> = {
    allowedHosts: options.hosts,
    effects: [{ kind: "connect", target: origin, within: false }],
  };
  return async (input, init = {}) => {
    const url = new URL(input);
    const body = typeof init.body === "string" ? init.body : bodyText(init.body);
    const id = findRequestId(body);
    const exchange = new AbortController();
    if (id !== undefined) {
      options.pace.expect();
      options.exchanges.set(id, exchange);
    }
    const over = () => {
      if (id !== undefined && options.exchanges.get(id) === exchange) options.exchanges.delete(id);
    };
    const signals = [options.signal, exchange.signal, ...(init.signal ? [init.signal] : [])];
    const opening = options.connector.open(
      {
        url: url.href,
        method: (init.method?.toUpperCase() ?? "GET") as HttpMethod,
        headers: toHeaders(init.headers),
        ...(body !== undefined && { body }),
        isConfigured: url.origin === origin,
      },
      { ...bounds, signal: AbortSignal.any(signals) },
    );
    opening.catch(over);
    const answer = await opening;
    const { status, statusText, headers } = answer;
    const isEmpty = status === 204 || status === 205 || status === 304;
    if (isEmpty) answer.body.destroy();
    answer.body.once("close", over);
    const isStream = /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
    const bounded = isStream ? readEvents(answer.body, options, id) : readWhole(answer.body, options);
    const {
      "set-cookie": _cookies,
      "content-encoding": _coding,
      "content-length": _length,
      ...rest
    } = headers;
    return new Response(isEmpty ? null : ReadableStream.from(bounded), {
      status: Math.max(200, status),
      statusText: statusText.replace(/[^\t\x20-\x7e]/g, ""),
      headers: rest,
    });
  };
}

async function* readWhole(body: Readable, { name, pace }: ServerFetchOptions): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limits.messageBytes) throw tooLarge(name);
      yield chunk;
    }
    await pace.take(1);
  } finally {
    body.destroy();
  }
}

async function* readEvents(
  body: Readable,
  { name, pace, onEnd }: ServerFetchOptions,
  id: string | number | undefined,
): AsyncGenerator<Uint8Array> {
  let held: Buffer[] = [];
  let size = 0;
  let tail = "";
  let resumable = false;
  let error: unknown;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      const text = tail + chunk.toString("latin1");
      const ends = [...text.matchAll(/\r?\n\r?\n|\r\r/g)];
      resumable ||= /(?:^|[\r\n])id:/.test(text);
      tail = text.slice(-4);
      held.push(chunk);
      size += chunk.length;
      if (size > limits.messageBytes) throw tooLarge(name);
      if (ends.length === 0) continue;
      // Whole events: a parser that is given pieces looks at each of them again and again.
      await pace.take(ends.length);
      yield Buffer.concat(held);
      held = [];
      size = 0;
    }
    yield Buffer.concat(held);
  } catch (thrown) {
    error = thrown;
    throw thrown;
  } finally {
    body.destroy();
    onEnd({ id, resumable, error });
  }
}

function bodyText(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (body instanceof URLSearchParams) return body.toString();
  throw new TypeError("Cannot send a body that is no text");
}

function toHeaders(given: RequestInit["headers"]): Record<string, string> {
  return Object.fromEntries(new Headers(given));
}

function findRequestId(body: string | undefined): string | number | undefined {
  const message = body === undefined ? undefined : parseJson(body);
  if (!isRecord(message) || typeof message["method"] !== "string") return undefined;
  const id = message["id"];
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}

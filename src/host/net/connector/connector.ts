import type { Readable } from "node:stream";
import type { CallContext, Effect, ToolContext } from "../../../kernel/index.ts";

export const httpMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** One of {@link httpMethods}. */
export type HttpMethod = (typeof httpMethods)[number];

/** A request over HTTP or HTTPS. */
export interface HttpRequest {
  readonly url: string;
  /** @default "GET" */
  readonly method?: HttpMethod;
  /** Those of the connection itself (`Host`, `Content-Length`, …) are refused. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Bytes of the body, decompressed, after which reading stops. @default the connector's `maxResponseBytes` */
  readonly maxBytes?: number;
  /** What becomes of a body that declares to be larger than `maxBytes`. @default "cut" */
  readonly oversize?: "cut" | "refuse";
  /**
   * The URL's host comes from the owner's configuration, not from a model: it may be loopback or private, though
   * never a metadata service. The call still needs the effect.
   */
  readonly isConfigured?: boolean;
}

/** An answer over HTTP, read to its end or to `maxBytes`. */
export interface HttpResponse {
  /** The address of the last request, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  /** Names in lower case; several values joined by `, `, cookies by a line break. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed. */
  readonly body: Uint8Array;
  /** The body went on after `maxBytes`. */
  readonly truncated: boolean;
  /** The `Content-Encoding` that was left in place because it is unknown here. */
  readonly encoding?: string;
  /** Every address that sent this request on, in order. */
  readonly redirects: readonly string[];
  /** The address of a redirect that was not followed, since this call may not connect there. */
  readonly location?: string;
}

/** An answer that is read as it comes. Redirects are answers too: nothing follows them. */
export interface HttpStream extends Pick<HttpResponse, "url" | "status" | "statusText" | "headers"> {
  /** Decompressed, without any limit but the signal. Whoever does not read to the end destroys it. */
  readonly body: Readable;
}

/** The part of a call's context that bounds where it connects to, and for how long. */
export type ConnectContext = Pick<ToolContext, "allowedHosts" | "effects" | "signal">;

/**
 * The only way out. A call reaches what its `allowedHosts` cover and what its effects were decided for; loopback,
 * private and reserved addresses stay closed even then, unless `allowedHosts` lists them. Addresses are checked when
 * a connection is made, and the checked one is dialled.
 */
export interface Connector {
  /**
   * The effect of a request to `url`: `{ kind: "connect", target: "https://example.com", within }`.
   *
   * @throws {HostError} CONNECT_URL, CONNECT_BLOCKED: no decision could make this request possible.
   */
  origin(url: string, context: Pick<CallContext, "allowedHosts">, options?: OriginOptions): Promise<Effect>;
  /**
   * Checks a request without sending it.
   *
   * @throws {HostError} CONNECT_URL, CONNECT_HEADER: the request can't be sent, whatever is decided.
   */
  check(request: Pick<HttpRequest, "url" | "headers">): Promise<void>;
  /**
   * Sends a request and reads its answer. At most 5 redirects are followed, and only to what this call may connect
   * to, never from https to http; credentials do not go along to another origin. Any status is an answer.
   *
   * @throws {HostError} CONNECT_URL, CONNECT_HEADER, CONNECT_DENIED, CONNECT_BLOCKED, CONNECT_FAILED,
   * CONNECT_REDIRECTS, RESPONSE_TOO_LARGE; the reason of `context.signal` once that is aborted.
   */
  request(request: HttpRequest, context: ConnectContext): Promise<HttpResponse>;
  /**
   * Sends a request and gives its answer as soon as it begins. However long it is silent, only `context.signal` ends it.
   *
   * @throws {HostError} as {@link Connector.request} does.
   */
  open(request: Omit<HttpRequest, "maxBytes" | "oversize">, context: ConnectContext): Promise<HttpStream>;
  /** Closes idle connections, and those in use too. */
  close(): Promise<void>;
}

/** Whether the address comes from the configuration. */
export type OriginOptions = Pick<HttpRequest, "isConfigured">;

/** Bounds of all requests of one connector, and how it finds addresses. */
export interface ConnectorOptions {
  /** @default 10,000,000 */
  readonly maxResponseBytes?: number;
  /** @default 10,000 */
  readonly connectTimeoutMs?: number;
  /** @default "Mozilla/5.0 (compatible; haft)" */
  readonly userAgent?: string;
  /** All addresses of a name; asked once per connection. @default the system's resolver */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/**
 * Makes the way out of this machine: requests over HTTP and HTTPS, each within the bounds of its call. The HTTP client
 * is loaded at the first request.
 *
 * @example
 * ```ts
 * const connector = createConnector();
 * const { within, target } = await connector.origin("https://api.example.com/v1", {
 *   allowedHosts: ["*.example.com"],
 * });
 * target; // → "https://api.example.com"
 * within; // → true
 * await connector.close();
 * ```
 */
export function createConnector(options: ConnectorOptions = {}): Connector {
  let opened: Promise<Connector> | undefined;
  const open = () => {
    opened ??= import("./exchange.ts").then(({ openConnector }) => openConnector(options));
    return opened;
  };
  return {
    origin: async (url, context, originOptions) => (await open()).origin(url, context, originOptions),
    check: async (request) => (await open()).check(request),
    request: async (request, context) => (await open()).request(request, context),
    open: async (request, context) => (await open()).open(request, context),
    close: async () => (await opened)?.close(),
  };
}

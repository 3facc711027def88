import type { Agent, Dispatcher } from "undici";
import { formatBytes, RecentMap } from "../../../base/index.ts";
import { HostError } from "../../errors.ts";
import { openAgent, resolveBySystem } from "./agent.ts";
import { decodeBody, readBody } from "./body.ts";
import { ConnectBounds } from "./bounds.ts";
import type { Connector, ConnectorOptions, HttpRequest, HttpResponse } from "./connector.ts";
import { toConnectError } from "./faults.ts";
import { toRequestHeaders } from "./headers.ts";
import { followRedirect, type Hop } from "./redirect.ts";
import { parseWebAddress, showUrl, type WebAddress } from "./web-address.ts";

const maxRedirects = 5;
const defaultMaxBytes = 10_000_000;
const defaultUserAgent = "Mozilla/5.0 (compatible; haft)";
// One for each list of allowed hosts in use that names nets or private names.
const maxAgents = 16;

/** See {@link Connector}. */
export function openConnector(options: ConnectorOptions): Connector {
  return new UndiciConnector(options);
}

class UndiciConnector implements Connector {
  readonly #options: ConnectorOptions;
  /**
   * The agents by what their connections were checked for; the one of the empty key holds connections to
   * public addresses only.
   */
  readonly #agents = new RecentMap<string, Promise<Agent>>(maxAgents);

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  origin: Connector["origin"] = async (url, context, { isConfigured } = {}) => {
    const target = parseWebAddress(url);
    const bounds = new ConnectBounds({
      allowedHosts: context.allowedHosts ?? [],
      effects: [],
      configured: isConfigured === true ? target : undefined,
    });
    bounds.checkHost(target);
    return { kind: "connect", target: target.origin, within: bounds.within(target) };
  };

  check: Connector["check"] = async ({ url, headers = {} }) => {
    parseWebAddress(url);
    toRequestHeaders(headers, defaultUserAgent);
  };

  request: Connector["request"] = async (request, context) => {
    const target = parseWebAddress(request.url);
    const { allowedHosts, effects, signal } = context;
    const configured = request.isConfigured === true ? target : undefined;
    const bounds = new ConnectBounds({ allowedHosts, effects, configured });
    const headers = toRequestHeaders(request.headers ?? {}, this.#options.userAgent ?? defaultUserAgent);
    let hop: Hop = { target, method: request.method ?? "GET", headers, body: request.body };
    const redirects: string[] = [];
    for (;;) {
      const answer = await this.#send(hop, bounds, signal);
      const redirect = followRedirect(hop, answer.statusCode, readHeader(answer, "location"), bounds);
      if (redirect === undefined || "location" in redirect) {
        const read = await this.#read(answer, hop, request, signal);
        return { ...read, redirects, ...(redirect === undefined ? {} : redirect) };
      }
      discard(answer);
      redirects.push(hop.target.url.href);
      if (redirects.length > maxRedirects) throw tooManyRedirects(target);
      hop = redirect.next;
    }
  };

  open: Connector["open"] = async (request, context) => {
    const target = parseWebAddress(request.url);
    const { allowedHosts, effects, signal } = context;
    const configured = request.isConfigured === true ? target : undefined;
    const bounds = new ConnectBounds({ allowedHosts, effects, configured });
    const headers = toRequestHeaders(request.headers ?? {}, this.#options.userAgent ?? defaultUserAgent);
    const hop: Hop = { target, method: request.method ?? "GET", headers, body: request.body };
    const answer = await this.#send(hop, bounds, signal, { headersTimeout: 0, bodyTimeout: 0 });
    return {
      url: target.url.href,
      status: answer.statusCode,
      statusText: answer.statusText,
      headers: toPlainHeaders(answer.headers),
      body: decodeBody(answer.body, readHeader(answer, "content-encoding") ?? ""),
    };
  };

  async close(): Promise<void> {
    const agents = await Promise.all(this.#agents.values());
    this.#agents.clear();
    await Promise.all(agents.map((agent) => agent.destroy()));
  }

  async #send(
    hop: Hop,
    bounds: ConnectBounds,
    signal: AbortSignal,
    patience: Patience = {},
  ): Promise<Answer> {
    const { target, method, headers, body } = hop;
    bounds.checkCovered(target);
    bounds.checkHost(target);
    const agent = await this.#agentFor(target, bounds);
    try {
      signal.throwIfAborted();
      const { origin, pathname, search } = target.url;
      const pending = agent.request({
        origin,
        path: pathname + search,
        method,
        headers,
        body: body ?? null,
        signal,
        ...patience,
      });
      return await untilAborted(pending, signal);
    } catch (error) {
      throw toConnectError(error, target, signal);
    }
  }

  async #read(
    answer: Answer,
    hop: Hop,
    request: HttpRequest,
    signal: AbortSignal,
  ): Promise<Omit<HttpResponse, "redirects" | "location">> {
    const { target, method } = hop;
    const maxBytes = request.maxBytes ?? this.#options.maxResponseBytes ?? defaultMaxBytes;
    const declared = Number(readHeader(answer, "content-length"));
    if (request.oversize === "refuse" && declared > maxBytes && method !== "HEAD") {
      discard(answer);
      throw tooLarge(target, declared, maxBytes);
    }
    const hasBody = method !== "HEAD" && declared !== 0;
    try {
      const coding = hasBody ? readHeader(answer, "content-encoding") : undefined;
      const { bytes, truncated, encoding } = await readBody(answer.body, coding ?? "", maxBytes);
      return {
        url: target.url.href,
        status: answer.statusCode,
        statusText: answer.statusText,
        headers: toPlainHeaders(answer.headers),
        body: bytes,
        truncated,
        ...(encoding === undefined ? {} : { encoding }),
      };
    } catch (error) {
      throw toConnectError(error, target, signal);
    }
  }

  #agentFor(target: WebAddress, bounds: ConnectBounds): Promise<Agent> {
    const part = bounds.dialPart(target);
    const agent =
      this.#agents.get(part.key) ??
      openAgent({
        bounds: part.bounds(),
        resolve: this.#options.resolve ?? resolveBySystem,
        connectTimeoutMs: this.#options.connectTimeoutMs ?? 10_000,
      });
    const dropped = this.#agents.set(part.key, agent)?.[1];
    void dropped?.then((idle) => idle.close());
    return agent;
  }
}

type Answer = Dispatcher.ResponseData;
type Patience = Pick<Dispatcher.RequestOptions, "headersTimeout" | "bodyTimeout">;

/** Lets go of a body that nobody reads. */
function discard(answer: Answer): void {
  answer.body.on("error", () => undefined).destroy();
}

/** Undici hears a signal only once it has a connection; this does not wait for one. */
function untilAborted(pending: Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      pending.then(discard, () => undefined);
      reject(signal.reason);
    };
    if (signal.aborted) return giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
    void pending.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

function readHeader(answer: Answer, name: string): string | undefined {
  const value = answer.headers[name];
  return typeof value === "string" ? value : value?.[0];
}

function toPlainHeaders(headers: Answer["headers"]): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    plain[name] = typeof value === "string" ? value : value.join(name === "set-cookie" ? "\n" : ", ");
  }
  return plain;
}

function tooManyRedirects(target: WebAddress): HostError {
  const url = showUrl(target.url.href);
  return new HostError(
    "CONNECT_REDIRECTS",
    `Cannot get "${url}": it redirects more than ${maxRedirects} times; ask for the address that it should lead to`,
  );
}

function tooLarge(target: WebAddress, declared: number, maxBytes: number): HostError {
  return new HostError(
    "RESPONSE_TOO_LARGE",
    `Cannot get "${showUrl(target.url.href)}": its answer of ${formatBytes(declared)} is over the limit of ${formatBytes(maxBytes)}; ask for a part of it, or get it with a command`,
    { details: { declared, maxBytes } },
  );
}

import { isRecord, parseJson } from "../../base/index.ts";
import { type HttpHandler, readOwnFile, type UpgradeRefusal } from "../../host/index.ts";
import { readBearerToken } from "../http/bearer-token.ts";
import { isJson, sendJson } from "../http/json.ts";
import { readBody } from "../http/read-body.ts";
import type { BridgePasses } from "./passes.ts";

export type BridgeRequest = Parameters<HttpHandler>[0];
type BridgeResponse = Parameters<HttpHandler>[1];

/** The path at which host programs connect. */
export const bridgePath = "/bridge";
const socketPath = "/bridge/socket";
export const bridgeProtocol = "haft.bridge.v1";
const tokenProtocol = "haft.token.";

/** A code and a few marks. */
const mostBodyBytes = 1_024;

interface PageFile {
  readonly file: URL;
  readonly type: string;
}

/** Each file is named whole: nothing that is asked for ever becomes a path. */
const page: Readonly<Record<string, PageFile>> = {
  [bridgePath]: { file: new URL("./page/index.html", import.meta.url), type: "text/html" },
  [`${bridgePath}/page.css`]: {
    file: new URL("./page/page.css", import.meta.url),
    type: "text/css",
  },
  [`${bridgePath}/icon.svg`]: {
    file: new URL("./page/icon.svg", import.meta.url),
    type: "image/svg+xml",
  },
  ...Object.fromEntries(
    ["main", "link", "tools", "tauri", "view"].map((name) => [
      `${bridgePath}/${name}.js`,
      { file: new URL(`./page/${name}.js`, import.meta.url), type: "text/javascript" },
    ]),
  ),
};

/** The page of the browser host, and the exchange of a code for a token. The listener has checked Host and Origin. */
export function createBridgeHandler(passes: BridgePasses): HttpHandler {
  return async (request, response) => {
    const path = readPath(request);
    const shown = page[path];
    if (shown !== undefined) {
      if (request.method !== "GET") return send(response, 405, "Cannot do this here: a page is got with GET");
      return sendPage(response, shown, request.headers.host ?? "");
    }
    if (path === `${bridgePath}/token`) {
      if (request.method === "POST") return pair(passes, request, response);
      if (request.method === "GET") return tellToken(passes, request, response);
      return send(response, 405, "Cannot do this here: the methods are GET and POST");
    }
    send(response, 404, "Cannot find this: the page is at /bridge");
  };
}

/** Why a request for a connection is refused; undefined for one with a token. */
export function refuseConnection(passes: BridgePasses, request: BridgeRequest): UpgradeRefusal | undefined {
  if (readPath(request) !== socketPath)
    return { status: 404, error: `Cannot connect: the bridge is at ${socketPath}` };
  const token = readBearerToken(request) ?? offeredToken(request);
  if (token !== undefined && passes.admits(token)) return undefined;
  const why = token === undefined ? "it shows no token" : "its token is not good, or not any more";
  return { status: 401, error: `Cannot connect: ${why}; \`haft bridge\` makes another` };
}

export function readPath({ url = "" }: BridgeRequest): string {
  return url.replace(/[?#].*$/s, "").replace(/\/$/, "");
}

/** A page can't set headers of its handshake, but it can offer subprotocols. */
function offeredToken({ headers }: BridgeRequest): string | undefined {
  const offered = String(headers["sec-websocket-protocol"] ?? "").split(/\s*,\s*/);
  return offered.find((one) => one.startsWith(tokenProtocol))?.slice(tokenProtocol.length);
}

function tellToken(passes: BridgePasses, request: BridgeRequest, response: BridgeResponse): void {
  const token = readBearerToken(request);
  if (token !== undefined && passes.admits(token)) return void response.writeHead(204, ownHeaders).end();
  send(response, 401, "This page is not paired any more: `haft bridge` prints a new address for it");
}

async function pair(passes: BridgePasses, request: BridgeRequest, response: BridgeResponse): Promise<void> {
  if (!isJson(request))
    return send(response, 415, "Cannot read the code: its Content-Type must be application/json");
  const body = await readBody(request, mostBodyBytes);
  if (body === undefined)
    return send(response, 413, `Cannot read the code: it is longer than ${mostBodyBytes} bytes`);
  const given = parseJson(body.toString());
  const code = isRecord(given) ? given["code"] : undefined;
  const token = typeof code === "string" ? passes.redeem(code) : undefined;
  if (token !== undefined) return send(response, 200, { token });
  send(
    response,
    401,
    "This address was used already, or is older than ten minutes: `haft bridge` prints a new one",
  );
}

async function sendPage(response: BridgeResponse, { file, type }: PageFile, host: string): Promise<void> {
  const body = await readOwnFile(file);
  response
    .writeHead(200, {
      ...ownHeaders,
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": policyFor(host),
    })
    .end(body);
}

/** Nothing but what this server itself sends, and the two addresses by which a Tauri window calls its own program. */
function policyFor(host: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self' ws://${host} ipc: http://ipc.localhost`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join("; ");
}

const ownHeaders = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

function send(response: BridgeResponse, status: number, answer: string | object): void {
  const text = JSON.stringify(typeof answer === "string" ? { error: answer } : answer);
  const headers = status === 413 ? { ...ownHeaders, connection: "close" } : ownHeaders;
  sendJson(response, { status, text, headers });
}

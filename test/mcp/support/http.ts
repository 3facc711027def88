import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import {
  createHttpHandler,
  type HttpOptions,
  type McpHttpHandler,
  type McpServer,
} from "../../../src/server/mcp/index.ts";
import { listenOnLoopback } from "../../support/loopback.ts";
import { initialize, modernMeta, type RpcAnswer } from "./lines.ts";

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The message of a JSON answer, or all messages of a stream. */
  readonly messages: readonly RpcAnswer[];
}

/** An HTTP answer that is still under way. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The next message of a stream; undefined at its end. */
  next(): Promise<RpcAnswer | undefined>;
  /** What came beside messages. */
  readonly comments: readonly string[];
  /** Hangs up. */
  close(): void;
}

export interface HttpClient {
  readonly port: number;
  readonly handler: McpHttpHandler;
  send(
    method: string,
    body: string | object | undefined,
    headers?: Record<string, string>,
  ): Promise<HttpAnswer>;
  open(
    method: string,
    body: string | object | undefined,
    headers?: Record<string, string>,
  ): Promise<OpenAnswer>;
  /** One request of 2026-07-28. */
  modern(id: number | string, method: string, params?: object, capabilities?: object): Promise<HttpAnswer>;
  openModern(
    id: number | string,
    method: string,
    params?: object,
    capabilities?: object,
  ): Promise<OpenAnswer>;
  /** Begins a session and returns the headers of its requests. */
  begin(protocolVersion?: string, capabilities?: object): Promise<Record<string, string>>;
}

const both = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Serves over loopback, and talks to it without any SDK. */
export async function serveHttp(server: McpServer, options: HttpOptions = {}): Promise<HttpClient> {
  const handler = createHttpHandler(server, options);
  const { port } = await listenOnLoopback(handler);

  const open: HttpClient["open"] = (method, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const outgoing = httpRequest(
        { port, host: "127.0.0.1", path: "/mcp", method, agent: false, headers: { ...both, ...headers } },
        (response) => {
          const messages: RpcAnswer[] = [];
          const comments: string[] = [];
          let ended = false;
          let wake = () => {};
          let rest = "";
          response.setEncoding("utf8");
          response.on("data", (text: string) => {
            rest += text;
            if (response.headers["content-type"] !== "text/event-stream") return;
            const events = rest.split("\n\n");
            rest = events.pop() ?? "";
            for (const event of events) {
              const data = /^data: (.*)$/m.exec(event)?.[1];
              if (data === undefined) comments.push(event);
              else messages.push(JSON.parse(data) as RpcAnswer);
            }
            wake();
          });
          const end = () => {
            if (!ended && rest !== "" && response.headers["content-type"] === "application/json") {
              messages.push(JSON.parse(rest) as RpcAnswer);
            }
            ended = true;
            wake();
          };
          response.on("end", end);
          response.on("close", end);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            comments,
            close: () => void outgoing.destroy(),
            async next() {
              while (messages.length === 0 && !ended) {
                await new Promise<void>((done) => {
                  wake = done;
                });
              }
              return messages.shift();
            },
          });
        },
      );
      outgoing.on("error", reject);
      outgoing.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
    });

  const send: HttpClient["send"] = async (method, body, headers) => {
    const answer = await open(method, body, headers);
    const messages: RpcAnswer[] = [];
    for (let next = await answer.next(); next !== undefined; next = await answer.next()) messages.push(next);
    return { status: answer.status, headers: answer.headers, messages };
  };

  const modernRequest = (
    id: number | string,
    method: string,
    params: { name?: string; uri?: string },
    capabilities: object,
  ) => {
    const target = params.name ?? params.uri;
    const headers = {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(target !== undefined && { "mcp-name": target }),
    };
    return [
      { jsonrpc: "2.0", id, method, params: { _meta: modernMeta(capabilities), ...params } },
      headers,
    ] as const;
  };

  return {
    port,
    handler,
    send,
    open,
    modern: (id, method, params = {}, capabilities = {}) =>
      send("POST", ...modernRequest(id, method, params, capabilities)),
    openModern: (id, method, params = {}, capabilities = {}) =>
      open("POST", ...modernRequest(id, method, params, capabilities)),
    async begin(protocolVersion = "2025-11-25", capabilities = {}) {
      const begun = await send("POST", initialize(protocolVersion, capabilities));
      const headers = {
        "mcp-session-id": String(begun.headers["mcp-session-id"]),
        "mcp-protocol-version": protocolVersion,
      };
      await send("POST", { jsonrpc: "2.0", method: "notifications/initialized" }, headers);
      return headers;
    },
  };
}

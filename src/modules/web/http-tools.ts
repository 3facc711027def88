import { z } from "zod";
import { parseJson } from "../../base/index.ts";
import { type HttpMethod, type HttpRequest, httpMethods } from "../../host/index.ts";
import type { Tool } from "../../kernel/index.ts";
import { type HttpAnswer, toHttpAnswer } from "./http-answer.ts";
import type { NetworkServices } from "./network-options.ts";
import { defineNetworkTool } from "./network-tool.ts";

const url = z.string().describe("The whole address, beginning with https:// or http://");
const headers = z.record(z.string(), z.string()).optional().describe("Request headers by name");
const body = z
  .union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())])
  .optional()
  .describe("Sent as it is if it is text, as JSON if it is an object or an array");

const answers =
  "Returns {status, headers, body}; any status is a result. Follows redirects on the same host only.";

const lookThere = "get what the request was to change or make, and see whether it is there";

export function httpGetTool(services: NetworkServices): Tool {
  return defineNetworkTool(services, {
    name: "http_get",
    title: "HTTP GET",
    description: `Get what an HTTP address answers, as it is: for APIs, JSON and raw files. ${answers} To read a web page, use web_read.`,
    parameters: z.strictObject({ url, headers }),
    annotations: { readOnly: true, destructive: false, idempotent: true },
    addresses: (params) => [params],
    request: toGet,
    run: async (params, send): Promise<HttpAnswer> => toHttpAnswer(await send(toGet(params))),
  });
}

export function httpPostTool(services: NetworkServices): Tool {
  return defineNetworkTool(services, {
    name: "http_post",
    title: "HTTP POST",
    description: `Send a body to an HTTP address by POST. ${answers}`,
    parameters: z.strictObject({ url, body, headers }),
    annotations: { readOnly: false },
    verify: lookThere,
    addresses: (params) => [params],
    request: toPost,
    run: async (params, send): Promise<HttpAnswer> => toHttpAnswer(await send(toPost(params))),
  });
}

export function httpRequestTool(services: NetworkServices): Tool {
  return defineNetworkTool(services, {
    name: "http_request",
    title: "HTTP request",
    description: `Send an HTTP request with any method. ${answers}`,
    parameters: z.strictObject({ method: z.enum(httpMethods), url, body, headers }),
    annotations: { readOnly: false },
    verify: lookThere,
    addresses: (params) => [params],
    request: toRequest,
    run: async (params, send): Promise<HttpAnswer> => toHttpAnswer(await send(toRequest(params))),
  });
}

interface GivenRequest {
  readonly url: string;
  readonly body?: string | unknown[] | Record<string, unknown> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

function toGet({ url, headers = {} }: GivenRequest): HttpRequest {
  return { url, headers };
}

function toPost(params: GivenRequest): HttpRequest {
  return toRequest({ ...params, method: "POST" });
}

function toRequest(params: GivenRequest & { readonly method: HttpMethod }): HttpRequest {
  return { url: params.url, method: params.method, ...toPayload(params) };
}

interface Payload {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Text that is a JSON object or array is declared as JSON too; the caller's own Content-Type wins. */
function toPayload({ headers: given = {}, body: value }: GivenRequest): Payload {
  if (value === undefined) return { headers: given };
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (Object.keys(given).some((name) => name.toLowerCase() === "content-type"))
    return { headers: given, body: text };
  const isJson = typeof value !== "string" || (/^\s*[[{]/.test(value) && parseJson(value) !== undefined);
  const type = isJson ? "application/json" : "text/plain; charset=utf-8";
  return { headers: { ...given, "content-type": type }, body: text };
}

import { sendJson } from "../../http/json.ts";
import { type HttpRequest, type HttpResponse, readHeader } from "../../http/port.ts";
import type { ClientSource } from "../client.ts";
import { errorText } from "../messages/message.ts";
import { rpcCodes } from "../messages/protocol.ts";
import { RpcError } from "../messages/rpc-error.ts";

/** One HTTP request that was let in. */
export interface Visit {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly principal: string;
}

/** The client that makes the requests, as calls will see it. */
export function toClientSource({ principal }: Visit, session?: string): ClientSource {
  return { transport: "http", principal, session };
}

/** True if the client takes an answer of that media type. */
export function accepts(request: HttpRequest, type: string): boolean {
  const accept = readHeader(request, "accept");
  if (accept === undefined) return false;
  const group = `${type.split("/", 1)[0]}/*`;
  return accept.split(",").some((part) => {
    const name = part.split(";", 1)[0]?.trim().toLowerCase();
    return name === type || name === group || name === "*/*";
  });
}

/** Answers what needs no answer. */
export function sendAccepted(response: HttpResponse): void {
  response.writeHead(202, { "content-length": 0 });
  response.end();
}

/** Answers without reading on; what the client still sends is thrown away. */
export function refuse(
  { request, response }: Pick<Visit, "request" | "response">,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  request.resume();
  const text = errorText(undefined, new RpcError(rpcCodes.invalidRequest, message));
  sendJson(response, { status, text, headers });
}

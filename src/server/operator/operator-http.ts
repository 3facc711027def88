import { type Clock, systemClock } from "../../base/index.ts";
import { BearerToken, computeDigest } from "../http/bearer-token.ts";
import { isJson, sendJson } from "../http/json.ts";
import type { Allowance } from "../http/minute-count.ts";
import type { HttpRequest, HttpResponse } from "../http/port.ts";
import { readBody } from "../http/read-body.ts";
import { AnswerStream } from "./answer-stream.ts";
import type { Operator, OperatorAnswer, OperatorCode } from "./index.ts";

export interface OperatorHttpOptions {
  readonly operator: Pick<Operator, "answer">;
  /** What an operator shows as bearer token: that of MCP clients, as it may do the same. */
  readonly token: string;
  readonly clock?: Clock;
}

/** Each path takes every request. */
const operatorPaths = ["/v1/tool", "/v1/query"] as const;
/** An operator calls tools for many agents at once. */
const allowance: Allowance = { admitted: 30_000, refused: 30 };
const mostBodyBytes = 1_048_576;

export function isOperatorRequest({ url = "" }: Pick<HttpRequest, "url">): boolean {
  return /^\/v1\/(?:tool|query)(?:[/?]|$)/.test(url);
}

/**
 * `POST /v1/tool` and `/v1/query`: one request of an operator. A streamed query is answered as `text/event-stream`, from
 * its first event on. Whoever calls has checked Host and Origin before.
 */
export function createOperatorHandler(
  options: OperatorHttpOptions,
): (request: HttpRequest, response: HttpResponse) => Promise<void> {
  const { operator } = options;
  const clock = options.clock ?? systemClock;
  const token = new BearerToken(options.token, clock, allowance);
  // Conversations are found again with the token that began them.
  const name = `http:${computeDigest(options.token).toString("base64url").slice(0, 16)}`;
  return async (request, response) => {
    const refusal = findRefusal(request, token);
    if (refusal !== undefined) {
      request.resume();
      return send(response, refusal.status, fault(refusal.code, refusal.error), refusal.headers);
    }
    const gone = new AbortController();
    response.on("close", () => gone.abort(new Error("the operator went away")));
    const body = await readBody(request, mostBodyBytes);
    if (body === undefined) {
      const error = `Cannot take the request: it is longer than ${mostBodyBytes} bytes; send less`;
      return send(response, 413, fault("CONTEXT_TOO_LARGE", error), { connection: "close" });
    }
    const stream = new AnswerStream(response, clock);
    const answer = await operator.answer(body.toString(), gone.signal, { name, emit: stream.write });
    if (!stream.end(answer)) send(response, toStatus(answer), answer);
  };
}

interface Refusal {
  readonly status: number;
  readonly code: OperatorCode;
  readonly error: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function findRefusal(request: HttpRequest, token: BearerToken): Refusal | undefined {
  const admission = token.admit(request);
  if (admission === "too many") {
    const error = "Cannot take the request: there were too many in this minute; try again later";
    return { status: 429, code: "RATE_LIMIT_EXCEEDED", error, headers: { "retry-after": "60" } };
  }
  if (admission !== "admitted") {
    const why = admission === "no token" ? "it has no token" : "its token is not known here";
    const error = `Cannot take the request: ${why}; send the one in the file token of haft's home as \`Authorization: Bearer …\``;
    const headers = { "www-authenticate": 'Bearer realm="haft"' };
    return { status: 401, code: "INVALID_REQUEST", error, headers };
  }
  if (!/^\/v1\/(?:tool|query)(?:\?|$)/.test(request.url ?? ""))
    return {
      status: 404,
      code: "INVALID_REQUEST",
      error: `Cannot find this: there are ${operatorPaths.join(" and ")}`,
    };
  if (request.method !== "POST") {
    const error = `Cannot ${request.method ?? ""} this: the method is POST`;
    return { status: 405, code: "INVALID_REQUEST", error, headers: { allow: "POST" } };
  }
  if (isJson(request)) return undefined;
  const error = "Cannot read the request: its Content-Type must be application/json";
  return { status: 415, code: "INVALID_REQUEST", error };
}

function fault(code: OperatorCode, error: string): OperatorAnswer {
  return { type: "error", error, code };
}

const statuses: Readonly<Record<OperatorCode, number>> = {
  TOOL_NOT_AVAILABLE: 404,
  // The request was in order, and this is its answer.
  TOOL_EXECUTION_FAILED: 200,
  AGENT_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  INVALID_REQUEST: 400,
  RATE_LIMIT_EXCEEDED: 429,
  CONTEXT_TOO_LARGE: 413,
};

function toStatus(answer: OperatorAnswer): number {
  if (answer.type === "error" && answer.cause !== undefined) return 500;
  return "code" in answer && answer.code !== undefined ? statuses[answer.code] : 200;
}

function send(
  response: HttpResponse,
  status: number,
  answer: OperatorAnswer,
  headers?: Readonly<Record<string, string>>,
): void {
  sendJson(response, { status, text: JSON.stringify(answer), headers });
}

import { isRecord } from "../../base/index.ts";
import { afterAnswers, checkAnswers } from "./asking/late-answers.ts";
import type { Method, Outlet } from "./calls/call.ts";
import { digestRequest, ModernCall } from "./calls/modern-call.ts";
import { type ClientSource, type McpClient, toCapabilities, toClientInfo } from "./client.ts";
import type { ServerCore } from "./core.ts";
import { errorAnswer, modernAnswer, settle } from "./messages/answer.ts";
import { Exchange } from "./messages/exchange.ts";
import { formatOwner } from "./messages/handle.ts";
import { type Params, type RpcRequest, writeMembers } from "./messages/message.ts";
import { readMeta } from "./messages/meta.ts";
import { findMethod } from "./messages/methods.ts";
import { isLogLevel, logLevels, metaKeys, modernVersions, protocolVersions } from "./messages/protocol.ts";
import {
  invalidParams,
  methodNotFound,
  RpcError,
  toRpcError,
  unsupportedVersion,
} from "./messages/rpc-error.ts";
import { freshness } from "./offers/resources.ts";
import { openSubscription } from "./offers/subscriptions.ts";

/** The only methods that may ask the client for more. */
const resumable = ["tools/call", "prompts/get", "resources/read"];
const noAnswers: Params = {};

/** True for a request that carries its own protocol version, or asks for the method only such requests know. */
export function isModern(request: RpcRequest): boolean {
  return metaKeys.protocolVersion in readMeta(request) || request.method === "server/discover";
}

/** Answers one request that stands for itself. What is returned can be cancelled until it is answered. */
export function serveModern(
  core: ServerCore,
  request: RpcRequest,
  outlet: Outlet,
  from: ClientSource,
): Exchange | undefined {
  try {
    const exchange = openExchange(request, outlet, from);
    serve(core, exchange);
    return exchange;
  } catch (thrown) {
    const { text, httpStatus } = errorAnswer(request.id, toRpcError(thrown, core.onError));
    outlet.end(text, httpStatus);
    return undefined;
  }
}

function openExchange(request: RpcRequest, outlet: Outlet, from: ClientSource): Exchange {
  const meta = readMeta(request);
  const protocolVersion = meta[metaKeys.protocolVersion];
  if (typeof protocolVersion !== "string") throw malformed(`"_meta" must hold "${metaKeys.protocolVersion}"`);
  if (!modernVersions.includes(protocolVersion)) throw unsupportedVersion(protocolVersion);
  const capabilities = meta[metaKeys.clientCapabilities];
  if (!isRecord(capabilities)) throw malformed(`"_meta" must hold "${metaKeys.clientCapabilities}"`);
  const logLevel = meta[metaKeys.logLevel];
  if (logLevel !== undefined && !isLogLevel(logLevel))
    throw malformed(`the log level must be one of ${logLevels.join(", ")}`);
  const client: McpClient = {
    ...from,
    ...toClientInfo(meta[metaKeys.clientInfo]),
    protocolVersion,
    capabilities: toCapabilities(capabilities),
  };
  return new Exchange(request, meta, client, outlet);
}

function malformed(why: string): RpcError {
  const error = invalidParams(`Cannot take the request: ${why}`);
  return new RpcError(error.code, error.message, { httpStatus: 400 });
}

function serve(core: ServerCore, exchange: Exchange): void {
  const { method, params } = exchange;
  if (method === "server/discover") {
    const reply = { members: discoverMembers(core) };
    settle(
      () => reply,
      (outcome) => exchange.answer(modernAnswer(exchange.id, outcome, core)),
    );
    return;
  }
  if (method === "subscriptions/listen") {
    openSubscription(core, exchange);
    return;
  }
  const found = findMethod(core, method);
  if (found === undefined) throw methodNotFound(method, true);
  if (!resumable.includes(method)) {
    new ModernCall(core, exchange, noAnswers).run(found);
    return;
  }
  const answers = readAnswers(params);
  const { requestState } = params;
  if (requestState === undefined) new ModernCall(core, exchange, answers).run(found);
  else resume(core, exchange, found, answers);
}

function resume(core: ServerCore, exchange: Exchange, method: Method<ServerCore>, answers: Params): void {
  const { requestState } = exchange.params;
  if (typeof requestState !== "string")
    throw invalidParams('Cannot go on with the call: "requestState" must be a string');
  const belongsTo = { owner: formatOwner(exchange.client), digest: digestRequest(exchange) };
  const { call, approvals, take } = core.parked.find(requestState, belongsTo);
  if (call !== undefined) {
    call.check(answers);
    take();
    call.resume(exchange, answers);
  } else {
    checkAnswers(approvals, answers);
    take();
    new ModernCall(core, exchange, answers).run(afterAnswers(method, approvals, answers));
  }
}

/** What a client answered: to what it was asked before, or to what it knows it will be asked. */
function readAnswers({ inputResponses }: Params): Params {
  if (inputResponses === undefined) return noAnswers;
  if (!isRecord(inputResponses) || !Object.values(inputResponses).every(isRecord)) {
    throw invalidParams(
      'Cannot take the answers: "inputResponses" must be an object whose values are objects',
    );
  }
  return inputResponses;
}

function discoverMembers({ capabilities, options: { instructions } }: ServerCore): string {
  return writeMembers({
    supportedVersions: protocolVersions,
    capabilities,
    ...(instructions !== undefined && { instructions }),
    ...freshness({ modern: true }, 3_600_000),
  });
}

import { isRecord } from "../../../base/index.ts";
import type { Call, Reply } from "../calls/call.ts";
import type { ServerCore } from "../core.ts";
import { writeMembers } from "../messages/message.ts";
import { cutPage } from "../messages/paging.ts";
import { CallPeer } from "../messages/peer.ts";
import { rpcCodes } from "../messages/protocol.ts";
import { invalidParams, RpcError } from "../messages/rpc-error.ts";
import { type CompletionRequest, completionReply } from "./completion.ts";
import type { McpRequestContext } from "./resource-port.ts";

export function toRequestContext(call: Call): McpRequestContext {
  return { peer: new CallPeer(call), signal: call.signal };
}

export async function listResources({ resources, pageSize }: ServerCore, call: Call): Promise<Reply> {
  const all = (await resources?.list(toRequestContext(call))) ?? [];
  const { items, ...more } = cutPage(all, call.params, pageSize);
  return { members: writeMembers({ resources: items, ...more, ...freshness(call, 0) }) };
}

export async function listTemplates({ resources, pageSize }: ServerCore, call: Call): Promise<Reply> {
  const all = (await resources?.templates?.(toRequestContext(call))) ?? [];
  const { items, ...more } = cutPage(all, call.params, pageSize);
  return { members: writeMembers({ resourceTemplates: items, ...more, ...freshness(call, 0) }) };
}

export async function readResource({ resources }: ServerCore, call: Call): Promise<Reply> {
  const uri = readUri(call);
  const contents = await resources?.read(uri, toRequestContext(call));
  if (contents === undefined || contents.length === 0) throw resourceNotFound(uri, call.modern);
  return { members: writeMembers({ contents, ...freshness(call, 0) }) };
}

export async function completeResource(
  { resources }: ServerCore,
  call: Call,
  request: CompletionRequest,
): Promise<Reply> {
  return completionReply((await resources?.complete?.(request, toRequestContext(call))) ?? []);
}

/** @throws {RpcError} invalidParams */
export function readUri({ params }: Pick<Call, "params">): string {
  const { uri } = params;
  if (typeof uri !== "string" || uri === "")
    throw invalidParams('Cannot find the resource: "uri" must be a string');
  return uri;
}

/** How long a client may keep an answer; a word of the modern era. */
export function freshness({ modern }: Pick<Call, "modern">, ttlMs: number): object {
  return modern ? { ttlMs, cacheScope: "private" } : {};
}

function resourceNotFound(uri: string, modern: boolean): RpcError {
  const code = modern ? rpcCodes.invalidParams : rpcCodes.resourceNotFound;
  return new RpcError(
    code,
    `Cannot find resource "${uri.slice(0, 500)}"; list the resources for those there are`,
    {
      data: { uri },
    },
  );
}

/** @throws {RpcError} invalidParams */
export function readArguments({ params }: Call): Readonly<Record<string, string>> {
  const { arguments: given = {} } = params;
  if (!isRecord(given) || !Object.values(given).every((value) => typeof value === "string")) {
    throw invalidParams('Cannot use the arguments: "arguments" must be an object whose values are strings');
  }
  return given as Record<string, string>;
}

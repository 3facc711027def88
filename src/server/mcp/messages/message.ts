import { isUtf8 } from "node:buffer";
import { isRecord } from "../../../base/index.ts";
import { invalidRequest, parseError, type RpcError } from "./rpc-error.ts";

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

export interface RpcRequest {
  readonly kind: "request";
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
}

export interface RpcNotification {
  readonly kind: "notification";
  readonly method: string;
  readonly params: Params;
}

export interface RpcResponse {
  readonly kind: "response";
  readonly id: RequestId;
  readonly result: Params | undefined;
  /** Set where `result` is not. */
  readonly error: { readonly code: number; readonly message: string } | undefined;
}

/** Not a message; `id` where it could be read. */
export interface RpcInvalid {
  readonly kind: "invalid";
  readonly id: RequestId | undefined;
  readonly error: RpcError;
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResponse | RpcInvalid;

/** What nests deeper is refused: nothing that walks it by recursion could end well. */
const deepest = 1000;
const noParams: Params = Object.freeze({});

/**
 * The JSON value in these bytes.
 *
 * @throws {RpcError} parseError for what is not JSON, or not UTF-8.
 */
export function readJson(bytes: Buffer): unknown {
  const text = bytes.toString("utf8");
  // The replacement character is rare in good text, and the only trace that bad bytes leave.
  if (text.includes("\ufffd") && !isUtf8(bytes)) throw parseError();
  try {
    return JSON.parse(text);
  } catch {
    throw parseError();
  }
}

const idAtHead =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(-?\d{1,15}|"[\w-]{1,100}")\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:/;
const methodAtHead = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"method"\s*:/;
const idAtTail = /,\s*"id"\s*:\s*(-?\d{1,15}|"[\w-]{1,100}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/** Whether a request that begins so has its id behind the rest, if it has one. */
export function mayEndWithId(head: string): boolean {
  return methodAtHead.test(head);
}

/** The id of a request of which only the beginning and the end are known, where clients put it; undefined for a response. */
export function requestIdIn(head: string, tail: string): RequestId | undefined {
  const found = idAtHead.exec(head) ?? (mayEndWithId(head) ? idAtTail.exec(tail) : null);
  return found?.[1] === undefined ? undefined : (JSON.parse(found[1]) as RequestId);
}

/** Sorts a JSON value of `size` bytes into the kinds of messages there are. */
export function readMessage(value: unknown, size: number): RpcMessage {
  if (!isRecord(value)) return invalid(undefined, "a message is an object");
  const id = isRequestId(value["id"]) ? value["id"] : undefined;
  // Each level takes two bytes at least.
  if (size > 2 * deepest && isDeeper(value, deepest))
    return invalid(id, `it nests deeper than ${deepest} levels`);
  if (value["jsonrpc"] !== "2.0") return invalid(id, '"jsonrpc" must be "2.0"');
  const { method, params = noParams } = value;
  if (typeof method !== "string") return readResponse(value, id);
  if (!isRecord(params)) return invalid(id, '"params" must be an object');
  if (!("id" in value)) return { kind: "notification", method, params };
  if (id === undefined) return invalid(id, '"id" must be a string or a whole number of at most 2^53 - 1');
  return { kind: "request", id, method, params };
}

function readResponse(value: Record<string, unknown>, id: RequestId | undefined): RpcMessage {
  const { result, error } = value;
  if (id === undefined || (!isRecord(result) && !isRecord(error))) {
    return invalid(id, 'it has neither a "method" nor a "result" or "error"');
  }
  if (isRecord(result)) return { kind: "response", id, result, error: undefined };
  const { code, message } = error as Record<string, unknown>;
  return {
    kind: "response",
    id,
    result: undefined,
    error: {
      code: typeof code === "number" ? code : 0,
      message: typeof message === "string" ? message.slice(0, 1000) : "",
    },
  };
}

function invalid(id: RequestId | undefined, why: string): RpcInvalid {
  return { kind: "invalid", id, error: invalidRequest(`Cannot take the message: ${why}`) };
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/** Level by level, so that no depth can exhaust the stack. */
function isDeeper(value: object, limit: number): boolean {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true;
    const next: object[] = [];
    for (const parent of level) {
      for (const child of Object.values(parent))
        if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return false;
}

/** `members` is the inside of the result object, as JSON. */
export function resultText(id: RequestId, members: string): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"result":{${members}}}`;
}

/** Without an id where none could be read, as the specification's schema has it. */
export function errorText(id: RequestId | undefined, { code, message, data }: RpcError): string {
  return JSON.stringify({ jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message, data } });
}

export function requestText(id: RequestId, method: string, params: Params): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

export function notificationText(method: string, params?: Params): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

/** The inside of a JSON object. */
export function writeMembers(value: object): string {
  return JSON.stringify(value).slice(1, -1);
}

function idText(id: RequestId): string {
  return typeof id === "number" ? String(id) : JSON.stringify(id);
}

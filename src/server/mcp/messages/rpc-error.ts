import { McpError } from "../../../mcp/index.ts";
import { protocolVersions, rpcCodes } from "./protocol.ts";

/** An error that goes to the client as it is: a number, a bounded message, and nothing of the machine. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;
  /** The status of an HTTP answer that holds nothing but this. */
  readonly httpStatus: number;

  constructor(
    code: number,
    message: string,
    options: { data?: unknown; httpStatus?: number; cause?: unknown } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.data = options.data;
    this.httpStatus = options.httpStatus ?? 200;
  }
}

export function invalidParams(message: string, data?: unknown): RpcError {
  return new RpcError(rpcCodes.invalidParams, message, { data });
}

export function invalidRequest(message: string): RpcError {
  return new RpcError(rpcCodes.invalidRequest, message, { httpStatus: 400 });
}

export function parseError(): RpcError {
  return new RpcError(rpcCodes.parseError, "Cannot read the message: it is not JSON in UTF-8", {
    httpStatus: 400,
  });
}

/** 404 is what 2026-07-28 asks for over HTTP; older revisions know no other than 200. */
export function methodNotFound(method: string, modern: boolean): RpcError {
  return new RpcError(
    rpcCodes.methodNotFound,
    `Cannot answer "${method.slice(0, 200)}": there is no such method here`,
    {
      httpStatus: modern ? 404 : 200,
    },
  );
}

export function unsupportedVersion(requested: string): RpcError {
  return new RpcError(
    rpcCodes.unsupportedVersion,
    `Cannot speak protocol version "${requested.slice(0, 100)}": use ${protocolVersions.join(", ")}`,
    { data: { supported: protocolVersions, requested }, httpStatus: 400 },
  );
}

/** Whatever was thrown, as the client may see it: a fault of ours is named, not shown. */
export function toRpcError(thrown: unknown, onError: (error: unknown) => void): RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (thrown instanceof McpError) return fromMcpError(thrown);
  onError(thrown);
  return new RpcError(
    rpcCodes.internalError,
    "Cannot answer the request: the server failed; its log says how",
    {
      cause: thrown,
    },
  );
}

/** What a resource or a prompt met when it asked the client something: that the client may know. */
function fromMcpError(error: McpError): RpcError {
  const { code, message, details: data } = error;
  if (code !== "MCP_CAPABILITY") return new RpcError(rpcCodes.internalError, message, { cause: error });
  return new RpcError(rpcCodes.missingCapability, message, { data, httpStatus: 400, cause: error });
}

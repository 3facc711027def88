import { CodedError } from "../base/index.ts";

/** Faults between haft and the program at the other end. None of them crosses the wire as it is. */
export const mcpErrorCodes = [
  "MCP_CAPABILITY",
  "MCP_NO_ANSWER",
  "MCP_BAD_ANSWER",
  "MCP_CLIENT_ERROR",
  "MCP_BUSY",
  "MCP_CONFIG",
  "MCP_UNKNOWN_SERVER",
  "MCP_UNAVAILABLE",
  "MCP_UNAUTHORIZED",
  "MCP_LOGIN_REQUIRED",
  "MCP_LOGIN_FAILED",
  "MCP_TIMEOUT",
  "MCP_CANCELLED",
  "MCP_TOO_LARGE",
  "MCP_SERVER_ERROR",
  "MCP_TOOL_FAILED",
  "MCP_TOOL_CHANGED",
] as const;

/** One of {@link mcpErrorCodes}. */
export type McpErrorCode = (typeof mcpErrorCodes)[number];

/**
 * A fault between haft and an MCP client or server: one of {@link mcpErrorCodes}.
 *
 * @example
 * ```ts
 * await using processes = new Processes();
 * const connections = new McpConnections({
 *   processes,
 *   connector: createConnector(),
 *   environment: new Environment(),
 *   cwd: process.cwd(),
 * });
 * const fault = await connections.reconnect("nowhere").catch((error: unknown) => error);
 * fault instanceof McpError && fault.code; // → "MCP_UNKNOWN_SERVER"
 * ```
 */
export class McpError extends CodedError<McpErrorCode> {
  override readonly name = "McpError";
}

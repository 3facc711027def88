import { CodedError } from "../base/index.ts";

/** Faults between haft and the program at the other end. None of them crosses the wire as it is. */
export const mcpErrorCodes = [
  "MCP_CAPABILITY",
  "MCP_NO_ANSWER",
  "MCP_BAD_ANSWER",
  "MCP_CLIENT_ERROR",
  "MCP_BUSY",
] as const;
export type McpErrorCode = (typeof mcpErrorCodes)[number];

/** What a tool meets when it asks the client something: see {@link mcpErrorCodes}. */
export class McpError extends CodedError<McpErrorCode> {
  override readonly name = "McpError";
}

/** Revisions in which every request carries its version and capabilities. Newest first. */
export const modernVersions: readonly string[] = ["2026-07-28"];

/** Revisions that begin with `initialize`. Newest first. */
export const legacyVersions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** Every revision that this server speaks. Newest first. */
export const protocolVersions: readonly string[] = [...modernVersions, ...legacyVersions];

/** The numbers of JSON-RPC and MCP; each with its meaning in the specification. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  /** 2025-11-25 and before; later revisions say `invalidParams`. */
  resourceNotFound: -32002,
} as const;

export const metaKeys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** What haft itself says of a call, in the `_meta` of its result. */
export const callMetaKey = "haft/call";

/** The key in the `_meta` of a result that somebody outside could have written; its value is `untrusted`. */
export const trustMetaKey = "haft/trust";

/** The levels of logs, from the least severe on. */
export const logLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const;

/** One of {@link logLevels}. */
export type LogLevel = (typeof logLevels)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return logLevels.includes(value as LogLevel);
}

import {
  cutHead,
  formatBytes,
  getErrorCode,
  getErrorMessage,
  isRecord,
  oneLine,
  showInvisible,
} from "../../base/index.ts";
import { HostError } from "../../host/index.ts";
import { McpError, type McpErrorCode } from "../errors.ts";
import { limits } from "./limits.ts";
import { loginRequired } from "./oauth/faults.ts";

const maxSaid = 500;

/** What a stranger said, in one line for people: bounded, with nothing invisible in it. */
export function said(text: unknown): string {
  return cutHead(showInvisible(oneLine(String(text))), maxSaid);
}

export function tooLarge(server: string): McpError {
  return new McpError(
    "MCP_TOO_LARGE",
    `Cannot read the answer of the MCP server "${server}": it is over ${formatBytes(limits.messageBytes)}; ask for less`,
    { details: { server } },
  );
}

/** @param setting of the server's entry, by which the time is set */
export function timedOut(
  server: string,
  what: string,
  timeoutMs: number,
  setting: "timeout" | "connectTimeout" = "timeout",
): McpError {
  return new McpError(
    "MCP_TIMEOUT",
    `Cannot finish ${what} of the MCP server "${server}": it gave no answer within ${timeoutMs} ms, and may still be at it; raise its "${setting}", or see what it does`,
    { details: { server, timeoutMs } },
  );
}

export function cancelled(server: string, what: string): McpError {
  return new McpError(
    "MCP_CANCELLED",
    `Cannot finish ${what} of the MCP server "${server}": its caller cancelled it; the server was told`,
    { details: { server } },
  );
}

export function badAnswer(server: string, why: string): McpError {
  return new McpError(
    "MCP_BAD_ANSWER",
    `Cannot use the answer of the MCP server "${server}": ${why}; report it to whoever makes the server`,
    { details: { server } },
  );
}

export function unavailable(server: string, why: string, cause?: unknown): McpError {
  return new McpError("MCP_UNAVAILABLE", `Cannot reach the MCP server "${server}": ${why}`, {
    ...(cause !== undefined && { cause }),
    details: { server },
  });
}

/** Error of a call whose tool definition is no longer the one that the server offers. */
export function toolChanged(server: string, tool: string, why: string): McpError {
  return new McpError(
    "MCP_TOOL_CHANGED",
    `Cannot call the tool "${said(tool)}" of the MCP server "${server}": ${why}; nothing was sent to it`,
    { details: { server, tool } },
  );
}

/** What a request to a server met, with the server's name, whatever was thrown. */
export function toMcpError(server: string, what: string, thrown: unknown): McpError {
  const own = findOwn(thrown);
  if (own instanceof McpError) return own;
  if (own !== undefined) return unavailable(server, own.message, own);
  const missing = findMissingScope(thrown);
  if (missing !== undefined) return loginRequired(server, { isLoggedIn: true, scope: missing });
  const status = readStatus(thrown);
  if (status === 401 || status === 403 || readName(thrown) === "UnauthorizedError") {
    return new McpError(
      "MCP_UNAUTHORIZED",
      `Cannot use the MCP server "${server}": it asks who you are${status === undefined ? "" : ` (HTTP ${status})`}; log in with \`haft mcp login ${server}\`, or give it "headers"`,
      { cause: thrown, details: { server } },
    );
  }
  if (status !== undefined)
    return unavailable(
      server,
      `it answered HTTP ${status} (${said(getErrorMessage(thrown))}); see its log`,
      thrown,
    );
  const code = getSdkCode(thrown);
  if (typeof code === "number") {
    return new McpError(
      "MCP_SERVER_ERROR",
      `Cannot finish ${what} of the MCP server "${server}": it says "${said(getErrorMessage(thrown))}" (${code})`,
      { cause: thrown, details: { server, code } },
    );
  }
  const known = meanings[code ?? ""];
  if (known === undefined) {
    const fault = readName(thrown) === "SyntaxError" || readName(thrown) === "ZodError";
    return fault
      ? badAnswer(server, said(getErrorMessage(thrown)))
      : unavailable(server, `${said(getErrorMessage(thrown))}; see its log`, thrown);
  }
  return known === "MCP_BAD_ANSWER"
    ? badAnswer(server, said(getErrorMessage(thrown)))
    : unavailable(server, "the connection broke; see its log", thrown);
}

const meanings: Readonly<Record<string, McpErrorCode>> = {
  INVALID_RESULT: "MCP_BAD_ANSWER",
  UNSUPPORTED_RESULT_TYPE: "MCP_BAD_ANSWER",
  CLIENT_HTTP_UNEXPECTED_CONTENT: "MCP_BAD_ANSWER",
  CONNECTION_CLOSED: "MCP_UNAVAILABLE",
  NOT_CONNECTED: "MCP_UNAVAILABLE",
  SEND_FAILED: "MCP_UNAVAILABLE",
};

/** The error of ours in a chain of causes. */
function findOwn(thrown: unknown): McpError | HostError | undefined {
  let error = thrown;
  for (let depth = 0; depth < 8 && error instanceof Error; depth++) {
    if (error instanceof McpError || error instanceof HostError) return error;
    error = error.cause;
  }
  return undefined;
}

/** What the server says that the login lacks. */
function findMissingScope(thrown: unknown): string | undefined {
  let error = thrown;
  for (let depth = 0; depth < 8 && isObject(error); depth++) {
    if (readName(error) === "InsufficientScopeError") {
      const scope = error["requiredScope"];
      return typeof scope === "string" ? scope : "";
    }
    error = error["cause"];
  }
  return undefined;
}

/** The number of a JSON-RPC error, or the word of a fault on this side. */
function getSdkCode(thrown: unknown): number | string | undefined {
  const code: unknown = isObject(thrown) ? thrown["code"] : undefined;
  return typeof code === "number" ? code : getErrorCode(thrown);
}

/** The status that an HTTP server answered with instead. */
export function readStatus(thrown: unknown): number | undefined {
  let error = thrown;
  for (let depth = 0; depth < 8 && isObject(error); depth++) {
    const { data } = error;
    if (isRecord(data) && typeof data["status"] === "number") return data["status"];
    if (readName(error) === "SseError" && typeof error["code"] === "number") return error["code"];
    error = error["cause"];
  }
  return undefined;
}

export function readName(thrown: unknown): string | undefined {
  return thrown instanceof Error ? thrown.name : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

import { CodedError } from "../../../base/index.ts";
import { McpError } from "../../errors.ts";

/** @param why ends with what to do about it */
export function loginFailed(
  server: string,
  why: string,
  options: { cause?: unknown; error?: string } = {},
): McpError {
  const { cause, error } = options;
  return new McpError("MCP_LOGIN_FAILED", `Cannot log in to the MCP server "${server}": ${why}`, {
    ...(cause !== undefined && { cause }),
    details: { server, ...(error !== undefined && { error }) },
  });
}

/**
 * What the authorization server answered a request with: its word for it, or "server_error". Nothing else of its
 * answer is ever repeated, since that may hold what it was sent.
 */
export function readRefusal(error: unknown): string | undefined {
  return error instanceof McpError ? (error.details?.["error"] as string | undefined) : undefined;
}

/** What was thrown on this side, and is not what the package makes of an answer. */
export function isOwn(error: unknown): boolean {
  return error instanceof CodedError || Object(error).name === "AbortError";
}

const words: ReadonlySet<string> = new Set([
  "access_denied",
  "authorization_pending",
  "expired_token",
  "insufficient_scope",
  "interaction_required",
  "invalid_client",
  "invalid_client_metadata",
  "invalid_grant",
  "invalid_redirect_uri",
  "invalid_request",
  "invalid_scope",
  "invalid_target",
  "login_required",
  "consent_required",
  "server_error",
  "slow_down",
  "temporarily_unavailable",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "unsupported_token_type",
]);

/** The word for an error that the standards know; any other is a "server_error". */
export function knownWord(word: unknown): string {
  return typeof word === "string" && words.has(word) ? word : "server_error";
}

const scopeForm = /^[\w:./-]{1,100}(?: [\w:./-]{1,100}){0,19}$/;

export interface Lack {
  /** There is a login, but it is not enough. */
  readonly isLoggedIn?: boolean;
  /** What the server asks for; left out of the message where a shell could misread it. */
  readonly scope?: string | undefined;
}

export function loginRequired(server: string, { isLoggedIn = false, scope }: Lack = {}): McpError {
  const isPlain = /^[\w.-]+$/.test(server);
  const shown = scope !== undefined && scopeForm.test(scope) ? scope : undefined;
  const command = `haft mcp login ${isPlain ? server : "NAME"}${shown === undefined ? "" : ` --scope "${shown}"`}`;
  const why = isLoggedIn ? "it asks for more rights than your login has" : "it asks who you are";
  return new McpError(
    "MCP_LOGIN_REQUIRED",
    `Cannot use the MCP server "${server}": ${why}; run \`${command}\``,
    {
      details: { server, ...(shown !== undefined && { scope: shown }) },
    },
  );
}

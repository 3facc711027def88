import { CodedError } from "../../../base/index.ts";

/** Every code of sessions. `docs/reference/errors.md` explains each. */
export const sessionErrorCodes = ["SESSION_NOT_FOUND", "SESSION_BUSY", "RUN_LOST"] as const;

/** One of {@link sessionErrorCodes}. */
export type SessionErrorCode = (typeof sessionErrorCodes)[number];

/**
 * A session can't do what was asked. Nothing was changed.
 *
 * @example
 * ```ts
 * const error = new SessionError("SESSION_NOT_FOUND", "There is no such session");
 * error.code; // → "SESSION_NOT_FOUND"
 * ```
 */
export class SessionError extends CodedError<SessionErrorCode> {
  override readonly name = "SessionError";
}

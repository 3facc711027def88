import { CodedError } from "../../../base/index.ts";

/** Error codes of the tools of conversations. */
export const sessionToolErrorCodes = ["ARCHIVE_NOT_FOUND", "ARCHIVE_LIVE"] as const;

/** One of {@link sessionToolErrorCodes}. */
export type SessionToolErrorCode = (typeof sessionToolErrorCodes)[number];

/** An archived part of a conversation can't be read. */
export class SessionToolError extends CodedError<SessionToolErrorCode> {
  override readonly name = "SessionToolError";
}

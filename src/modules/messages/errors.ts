import { CodedError } from "../../base/index.ts";

/** Error codes of messages to people. */
export const messageErrorCodes = ["REPLY_UNHEARD", "REPLY_ELSEWHERE"] as const;

/** One of {@link messageErrorCodes}. */
export type MessageErrorCode = (typeof messageErrorCodes)[number];

/** A message could not be given to anybody. */
export class MessageError extends CodedError<MessageErrorCode> {
  override readonly name = "MessageError";
}

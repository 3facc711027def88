export { MessageError, type MessageErrorCode, messageErrorCodes } from "./errors.ts";
export { type Reply, type ReplyListener, type ReplyOutcome, replyTool } from "./tools/reply.ts";

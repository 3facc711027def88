export { type Reply, type ReplyListener, replyTool } from "./tools/reply.ts";

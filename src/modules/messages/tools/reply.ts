import { z } from "zod";
import { defineTool, type Tool } from "../../../kernel/index.ts";
import { MessageError } from "../errors.ts";

/** What an agent says to the person it works for. */
export interface Reply {
  /** The run that says it. */
  readonly runId: string;
  readonly text: string;
  /** The id of the message that it answers. */
  readonly replyTo?: string;
}

/** The channel by which a person hears what an agent says. */
export interface ReplyListener {
  /** The name of its channel: `terminal`, … */
  readonly channel: string;
  hear(reply: Reply): void;
}

/** What the tool returns. */
export interface ReplyOutcome {
  readonly sent: true;
}

const parameters = z.strictObject({
  text: z.string().trim().min(1).max(20_000).describe("What to say, in Markdown"),
  channelId: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Where to say it. By default where the message came from"),
  replyTo: z.string().min(1).max(200).optional().describe("The id of the message that this answers"),
});

/** @param findListener Finds the listener of a run; undefined if nobody listens. */
export function replyTool(findListener: (runId: string) => ReplyListener | undefined): Tool {
  return defineTool({
    name: "reply",
    title: "Reply",
    description:
      "Say something to the person you work for. They see only what you say with this tool. Answer with it before you end your turn; it may be used several times, for what they should know meanwhile too.",
    category: "system",
    parameters,
    // It changes nothing but what the person reads.
    annotations: { readOnly: true, destructive: false, openWorld: false },
    execute({ text, channelId, replyTo }, { taskId = "" }): ReplyOutcome {
      const listener = findListener(taskId);
      if (listener === undefined)
        throw new MessageError(
          "REPLY_UNHEARD",
          "Cannot reply: nobody hears it here; say it in the text of your answer",
        );
      if (channelId !== undefined && channelId !== listener.channel)
        throw new MessageError(
          "REPLY_ELSEWHERE",
          `Cannot reply in "${channelId}": the message came from "${listener.channel}"; leave channelId out`,
        );
      listener.hear({ runId: taskId, text, ...(replyTo !== undefined && { replyTo }) });
      return { sent: true };
    },
  });
}

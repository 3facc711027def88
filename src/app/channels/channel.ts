import type { Approval, ApprovalAnswer, Trust } from "../../kernel/index.ts";

/**
 * A place where people are: a terminal, a chat, a web page. It carries messages both ways and shows questions; who may
 * speak, and what is done, is decided behind it.
 */
export interface Channel {
  /** The name that calls have in their origin: `terminal`, `telegram`, … */
  readonly name: string;
  readonly limits: ChannelLimits;
  /** Begins to listen. What it hears it hands over through the hooks. */
  start(hooks: ChannelHooks): Promise<void>;
  /**
   * Rejects with a CodedError, whose details say `retry: false` where sending it again would be in vain, `retryAfterMs`
   * where the place wants to be left alone, and `uncertain: true` where it may have arrived.
   */
  send(message: Outbound): Promise<SentMessage>;
  /** Shows a question, with what answers it. */
  ask(question: Approval, to: ChannelAddress): Promise<ShownQuestion>;
  /** Takes the question back where it is shown: nobody is to answer it any more. */
  settle(shown: ShownQuestion, how: "approved" | "denied" | "expired" | "elsewhere"): Promise<void>;
  close(): Promise<void>;
}

/** What a place can take. */
export interface ChannelLimits {
  /** The longest message, in characters. */
  readonly chars: number;
  /** The most answers that a question can offer to choose from; 0 where they are typed. */
  readonly buttons: number;
  /** Whether a message that is sent twice under one key appears once. */
  readonly dedups: boolean;
  /** Whether a message can be changed after it was sent. */
  readonly edits: boolean;
}

/** What a channel hands over. */
export interface ChannelHooks {
  /** Resolves once the message outlives a kill -9: only then may the place be told that it arrived. */
  receive(message: Inbound): Promise<void>;
  /** Answers a question for a person; false where it was answered, or had expired, before. */
  answer(approvalId: string, answer: ApprovalAnswer): Promise<boolean>;
}

/** A chat, a room, a thread: in the form of its channel, which others keep and give back unread. */
export type ChannelAddress = string;

/** A message that somebody wrote in a channel. */
export interface Inbound {
  readonly address: ChannelAddress;
  /** The message within its channel. A second one of the same id is the same message. */
  readonly id: string;
  /** Who wrote it, as the channel has proven it. */
  readonly from: { readonly id: string; readonly name?: string };
  readonly text: string;
  /** Untrusted: strangers may write here. */
  readonly trust: Trust;
  /** Unix ms. */
  readonly at: number;
}

/** A message for somebody in a channel. */
export interface Outbound {
  readonly address: ChannelAddress;
  /** Markdown, within the channel's limits. */
  readonly text: string;
  /** The id of the message that it answers. */
  readonly replyTo?: string;
  /** The same key means the same message. */
  readonly dedupKey: string;
}

/** A message as the place has it. */
export interface SentMessage {
  /** The message within its channel. */
  readonly id: string;
}

/** A question that is shown in a channel. */
export interface ShownQuestion {
  readonly approvalId: string;
  readonly address: ChannelAddress;
  readonly messageId: string;
}

import type { JsonSchema } from "../kernel/index.ts";

/** One message of a conversation. */
export interface ModelMessage {
  readonly role: "user" | "assistant";
  readonly text: string;
}

/** What a model is asked. */
export interface ModelRequest {
  readonly system?: string;
  readonly messages: readonly ModelMessage[];
  /** The longest answer, in tokens. @default the model's own */
  readonly maxTokens?: number;
  /** The answer is to be JSON like this. A wish: who asks checks what comes. */
  readonly json?: JsonSchema;
  readonly signal: AbortSignal;
}

/** What a model said. */
export interface ModelAnswer {
  readonly text: string;
  /** The text as JSON, if JSON was asked for; absent if the text is none. */
  readonly value?: unknown;
  readonly usage?: ModelUsage;
  /** `length`: it is cut off at `maxTokens`. `refused`: the provider keeps it back. */
  readonly stop: "end" | "length" | "refused";
}

/** Tokens that the provider counted for one request. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A language model. */
export interface Model {
  /** Its provider and name, for people. */
  readonly id: string;
  /**
   * Rejects with the reason of the signal once that is aborted, and with a CodedError otherwise, whose details say
   * `retry: false` where asking again would be in vain, and `retryAfterMs` where the provider wants to be left alone.
   */
  complete(request: ModelRequest): Promise<ModelAnswer>;
}

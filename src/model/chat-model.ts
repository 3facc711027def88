import type { Json, JsonSchema } from "../base/index.ts";
import type { LLMTarget } from "../kernel/index.ts";

/** A language model that streams text, reasoning and tool calls. */
export interface ChatModel {
  /** Provider and name, as in `anthropic/claude-sonnet`: what prices, budgets and the ledger know it by. */
  readonly id: string;
  readonly facts: ModelFacts;
  /**
   * The answer as it comes, with exactly one `end` at its end. An answer that is cut off has none: the stream throws a
   * {@link ModelError}, or what the host says of a connection. The request ends at the provider as soon as its signal is
   * aborted, and the stream throws the reason of the signal; it ends there too when nobody reads on.
   */
  stream(request: ChatRequest): AsyncIterable<ChatEvent>;
}

/** What is known of a model before it is asked. */
export interface ModelFacts {
  /** Tokens of a request and its answer together. Of a model that nobody described: 32,000. */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly images: boolean;
  /** The form in which it takes tools: what {@link ChatRequest.tools} are to be written in. */
  readonly dialect: Exclude<LLMTarget, "mcp">;
  /** Whether beginnings of requests are kept: where they are marked, by the provider's own doing, or not at all. */
  readonly cache: "marks" | "automatic" | "none";
  /** Absent: what a request costs is not known, and so is said. */
  readonly prices?: ModelPrices;
  /** Models of one quota share a rate limit. */
  readonly quota: string;
}

/** Micro-USD for a million tokens. */
export interface ModelPrices {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** What a model is asked. */
export interface ChatRequest {
  /** The instructions, in parts; a request may be kept up to the end of a marked one. */
  readonly system: readonly { readonly text: string; readonly mark?: boolean }[];
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ChatTool[];
  /** `none`: no tool may be called. @default "auto" */
  readonly toolChoice?: "auto" | "none";
  /** The longest answer, in tokens. @default the model's own */
  readonly maxTokens?: number;
  /** How much the model may think. @default the model's own */
  readonly effort?: "off" | "low" | "medium" | "high";
  /** The answer is to be JSON like this. A wish: who asks checks what comes. */
  readonly json?: JsonSchema;
  /** Requests of one key have a beginning in common, and are best answered in one place. */
  readonly cacheKey?: string;
  readonly signal: AbortSignal;
}

/** A tool as a model is shown it: in its dialect, which `toTargetTool` writes. */
export interface ChatTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** One message of a conversation, as the model is shown it. */
export type ChatMessage = UserMessage | AssistantMessage | ToolResultMessage;

/** What a person wrote. */
export interface UserMessage {
  readonly role: "user";
  readonly parts: readonly (TextPart | ImagePart)[];
}

/** What the model answered. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly parts: readonly (TextPart | ReasoningPart | CallPart)[];
}

/** The results of all calls of the answer before, in the order of the calls. */
export interface ToolResultMessage {
  readonly role: "tool";
  readonly results: readonly {
    readonly callId: string;
    readonly name: string;
    readonly text: string;
    readonly images?: readonly ImagePart[];
    readonly failed: boolean;
  }[];
}

/** Markdown, or plain text. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** A picture that somebody sent, or a tool gave back. */
export interface ImagePart {
  readonly type: "image";
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** A thought of the model, as far as it shows it. */
export interface ReasoningPart {
  readonly type: "reasoning";
  readonly text: string;
  readonly opaque?: OpaqueData;
}

/** A call of a tool that the model wants made. */
export interface CallPart {
  readonly type: "call";
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: the gate alone reads and repairs them. */
  readonly input: string;
  readonly opaque?: OpaqueData;
}

/** What one model alone understands, such as the signature of a thought. It is left out for any other. */
export interface OpaqueData {
  /** The id of the model. */
  readonly model: string;
  readonly data: Json;
}

/** A piece of an answer, as it comes. */
export type ChatEvent =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | { readonly type: "call-start"; readonly id: string; readonly name: string }
  | { readonly type: "call-delta"; readonly id: string; readonly delta: string }
  | {
      /** The pieces of this answer so far do not count: the same model is asked again, or another one. */
      readonly type: "withdrawn";
      /** The code of what went wrong. */
      readonly code: string;
      readonly message: string;
      /** The id of the model that is asked next, in `waitMs`. */
      readonly next: string;
      readonly waitMs: number;
      /** The retry, if the same model is asked again: its number, and how many there are at most. */
      readonly retry?: { readonly number: number; readonly of: number };
      /** The origin of the address that did not answer, where the connection failed: `http://127.0.0.1:11434`. */
      readonly origin?: string;
    }
  | {
      readonly type: "end";
      /** `length`: it is cut off at the most tokens. `refused`: the provider keeps it back. */
      readonly stop: "end" | "calls" | "length" | "refused";
      readonly message: AssistantMessage;
      readonly usage: ChatUsage;
      /** The id of the model that answered. Absent: the one that was asked. */
      readonly model?: string;
    };

/** Tokens of one request. */
export interface ChatUsage {
  /** All of the request, also what was read from or written to a cache. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** All of the answer, thoughts too. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Micro-USD, where the provider says so itself. */
  readonly costMicros?: number;
}

import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { isRecord, type Json } from "../../base/index.ts";
import {
  type AssistantMessage,
  type CallPart,
  type ChatEvent,
  type ChatUsage,
  type ReasoningPart,
  type TextPart,
  toSoundUsage,
} from "../../model/index.ts";
import { type AskedModel, cutOff, toModelError } from "./to-error.ts";

type Draft =
  | { readonly type: "text"; text: string }
  | { readonly type: "reasoning"; text: string; metadata: SharedV4ProviderMetadata }
  | {
      readonly type: "call";
      readonly id: string;
      readonly name: string;
      input: string;
      metadata: SharedV4ProviderMetadata;
    };

type Finish = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/**
 * What a package streams, as events of ours; `end` is made of what came when the stream is over.
 *
 * Calls that the provider makes itself are none of ours: nobody asks for any, and none is ever run here.
 */
export class EventReader {
  readonly #id: string;
  readonly #asked: AskedModel;
  readonly #parts: Draft[] = [];
  /** The open parts by the id that the package gives them. */
  readonly #open = new Map<string, Draft>();
  /** Parts of the stream that are no part of the answer: calls that the provider makes itself, its own summaries. */
  readonly #foreign = new Set<string>();
  #finish: Finish | undefined;

  constructor(id: string, asked: AskedModel) {
    this.#id = id;
    this.#asked = asked;
  }

  /** Throws where the part is an error. */
  read(part: LanguageModelV4StreamPart): readonly ChatEvent[] {
    switch (part.type) {
      case "text-start":
        if (isCompaction(part.providerMetadata)) this.#foreign.add(`text ${part.id}`);
        else this.#begin(`text ${part.id}`, { type: "text", text: "" });
        return [];
      case "reasoning-start":
        this.#begin(`reasoning ${part.id}`, { type: "reasoning", text: "", metadata: {} });
        this.#note(`reasoning ${part.id}`, part.providerMetadata);
        return [];
      case "text-delta":
        return this.#addText(`text ${part.id}`, "text", part.delta);
      case "reasoning-delta":
        this.#note(`reasoning ${part.id}`, part.providerMetadata);
        return this.#addText(`reasoning ${part.id}`, "reasoning", part.delta);
      case "reasoning-end":
        this.#note(`reasoning ${part.id}`, part.providerMetadata);
        return [];
      case "tool-input-start":
        if (part.providerExecuted === true) {
          this.#foreign.add(part.id);
          return [];
        }
        this.#begin(`call ${part.id}`, newCall(part.id, part.toolName));
        this.#note(`call ${part.id}`, part.providerMetadata);
        return [{ type: "call-start", id: part.id, name: part.toolName }];
      case "tool-input-delta": {
        const call = this.#open.get(`call ${part.id}`);
        if (call?.type !== "call" || part.delta === "") return [];
        call.input += part.delta;
        return [{ type: "call-delta", id: part.id, delta: part.delta }];
      }
      case "tool-call":
        return this.#settleCall(part);
      case "finish":
        this.#finish = part;
        return [];
      case "error":
        throw toModelError(part.error, this.#asked);
      case "stream-start":
      case "response-metadata":
      case "text-end":
      case "tool-input-end":
      case "tool-result":
      case "tool-approval-request":
      case "source":
      case "file":
      case "reasoning-file":
      case "custom":
      case "raw":
      case "ping":
        return [];
      default:
        return [];
    }
  }

  /** The last event. Throws where the stream had no end of its own. */
  end(): ChatEvent {
    const finish = this.#finish;
    if (finish === undefined || finish.finishReason.unified === "interrupted") throw cutOff(this.#asked);
    const message = this.#message();
    const calls = message.parts.some(({ type }) => type === "call");
    return {
      type: "end",
      stop: toStop(finish.finishReason, calls),
      message,
      usage: toUsage(finish.usage),
      model: this.#id,
    };
  }

  #begin(key: string, draft: Draft): void {
    this.#open.set(key, draft);
    this.#parts.push(draft);
  }

  #addText(key: string, type: "text" | "reasoning", delta: string): readonly ChatEvent[] {
    if (delta === "" || this.#foreign.has(key)) return [];
    if (!this.#open.has(key))
      this.#begin(key, type === "text" ? { type, text: "" } : { type, text: "", metadata: {} });
    const part = this.#open.get(key);
    if (part?.type === type) part.text += delta;
    return [{ type, delta }];
  }

  #note(key: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const part = this.#open.get(key);
    if (metadata === undefined || part === undefined || part.type === "text") return;
    for (const [provider, facts] of Object.entries(metadata))
      part.metadata[provider] = { ...part.metadata[provider], ...facts };
  }

  /** The whole call, which may differ from its pieces: some packages mend it, and some have no pieces. */
  #settleCall(part: Extract<LanguageModelV4StreamPart, { type: "tool-call" }>): readonly ChatEvent[] {
    const { toolCallId: id, toolName: name, input, providerExecuted, providerMetadata } = part;
    if (providerExecuted === true || this.#foreign.has(id)) return [];
    const key = `call ${id}`;
    const events: ChatEvent[] = [];
    if (!this.#open.has(key)) {
      this.#begin(key, newCall(id, name));
      events.push({ type: "call-start", id, name });
      if (input !== "") events.push({ type: "call-delta", id, delta: input });
    }
    const call = this.#open.get(key);
    if (call?.type === "call") call.input = input;
    this.#note(key, providerMetadata);
    return events;
  }

  #message(): AssistantMessage {
    const parts = this.#parts.map((part): TextPart | ReasoningPart | CallPart => {
      switch (part.type) {
        case "text":
          return { type: "text", text: part.text };
        case "reasoning":
          return { type: "reasoning", text: part.text, opaque: this.#opaque(part.metadata) };
        case "call": {
          const { id, name, input, metadata } = part;
          const said = Object.keys(metadata).length > 0;
          return { type: "call", id, name, input, ...(said && { opaque: this.#opaque(metadata) }) };
        }
        default:
          return part satisfies never;
      }
    });
    return {
      role: "assistant",
      parts: parts.filter((part) => part.type !== "text" || part.text !== ""),
    };
  }

  #opaque(metadata: SharedV4ProviderMetadata): { readonly model: string; readonly data: Json } {
    return { model: this.#id, data: JSON.parse(JSON.stringify(metadata)) as Json };
  }
}

/** Anthropic sends a summary of its own that it made of the conversation as a text. */
function isCompaction(metadata: SharedV4ProviderMetadata | undefined): boolean {
  return metadata?.["anthropic"]?.["type"] === "compaction";
}

function newCall(id: string, name: string): Draft {
  return { type: "call", id, name, input: "", metadata: {} };
}

/** The stop reason depends on whether there are calls, since some servers report the wrong one. */
function toStop(
  { unified }: LanguageModelV4FinishReason,
  calls: boolean,
): "end" | "calls" | "length" | "refused" {
  if (unified === "length") return "length";
  if (unified === "content-filter") return "refused";
  return calls ? "calls" : "end";
}

function toUsage({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): ChatUsage {
  const cost = readCost(raw);
  return toSoundUsage({
    inputTokens: inputTokens.total ?? 0,
    cacheReadTokens: inputTokens.cacheRead ?? 0,
    cacheWriteTokens: inputTokens.cacheWrite ?? 0,
    outputTokens: outputTokens.total ?? 0,
    reasoningTokens: outputTokens.reasoning ?? 0,
    ...(cost !== undefined && { costMicros: cost }),
  });
}

/** OpenRouter says what a request cost in USD, xAI in ten-thousandths of a micro-USD. */
function readCost(raw: unknown): number | undefined {
  if (!isRecord(raw)) return undefined;
  const { cost, cost_in_usd_ticks: ticks } = raw;
  if (typeof cost === "number" && cost >= 0) return Math.round(cost * 1_000_000);
  return typeof ticks === "number" && ticks >= 0 ? Math.round(ticks / 10_000) : undefined;
}

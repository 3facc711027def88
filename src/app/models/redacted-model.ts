import type { ChatMessage, ChatModel, ChatRequest } from "../../model/index.ts";

/** Wraps a model: secrets are removed from requests, and the configured effort is the default. */
export function withRedaction(
  chat: ChatModel,
  redact: (text: string) => string,
  effort: ChatRequest["effort"],
): ChatModel {
  return {
    id: chat.id,
    facts: chat.facts,
    stream: (request) =>
      chat.stream({
        ...(effort !== undefined && { effort }),
        ...request,
        system: request.system.map((part) => ({ ...part, text: redact(part.text) })),
        messages: request.messages.map((message) => redactMessage(message, redact)),
      }),
  };
}

function redactMessage(message: ChatMessage, redact: (text: string) => string): ChatMessage {
  switch (message.role) {
    case "user":
      return {
        ...message,
        parts: message.parts.map((part) =>
          part.type === "text" ? { ...part, text: redact(part.text) } : part,
        ),
      };
    case "assistant":
      return {
        ...message,
        parts: message.parts.map((part) => {
          if (part.type === "text") return { ...part, text: redact(part.text) };
          // A thought is sent back unchanged, since it is signed; only its own provider reads it.
          return part.type === "call" ? { ...part, input: redact(part.input) } : part;
        }),
      };
    case "tool":
      return {
        ...message,
        results: message.results.map((result) => ({ ...result, text: redact(result.text) })),
      };
    default:
      return message satisfies never;
  }
}

import { parseJson } from "../base/index.ts";
import type { AssistantMessage, ChatEvent, ChatModel } from "./chat-model.ts";
import { ModelError } from "./errors.ts";
import type { Model, ModelAnswer, ModelRequest } from "./model.ts";

/**
 * Wraps a model that streams as one that returns whole answers in text. JSON is also asked for in words, which every
 * model understands.
 *
 * @example
 * ```ts
 * const model = asModel(createScriptedChat(["Hello, Ada"]));
 * const { signal } = new AbortController();
 * const answer = await model.complete({ messages: [{ role: "user", text: "hi" }], signal });
 * answer.text; // → "Hello, Ada"
 * ```
 */
export function asModel(chat: ChatModel): Model {
  return {
    id: chat.id,
    async complete(request: ModelRequest): Promise<ModelAnswer> {
      const { signal, maxTokens, json } = request;
      signal.throwIfAborted();
      const system = [
        request.system,
        json && `Answer with JSON alone, without a code fence, like this schema: ${JSON.stringify(json)}`,
      ].filter((part) => part !== undefined);
      const end = await readEnd(
        chat,
        chat.stream({
          system: system.length === 0 ? [] : [{ text: system.join("\n\n") }],
          messages: request.messages.map(({ role, text }) => ({ role, parts: [{ type: "text", text }] })),
          tools: [],
          ...(maxTokens !== undefined && { maxTokens }),
          ...(json !== undefined && { json }),
          signal,
        }),
      );
      const text = joinText(end.message);
      const value = json === undefined ? undefined : parseJson(withoutFence(text));
      const { inputTokens, outputTokens } = end.usage;
      const isCounted = inputTokens + outputTokens > 0;
      return {
        text,
        ...(value !== undefined && { value }),
        ...(isCounted && { usage: { inputTokens, outputTokens } }),
        stop: end.stop === "calls" ? "end" : end.stop,
      };
    },
  };
}

type End = Extract<ChatEvent, { type: "end" }>;

async function readEnd(chat: ChatModel, events: AsyncIterable<ChatEvent>): Promise<End> {
  for await (const event of events) if (event.type === "end") return event;
  throw new ModelError("MODEL_CUT", `Cannot use what the model "${chat.id}" answered: it has no end`);
}

function joinText({ parts }: AssistantMessage): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

/** Models put JSON in a block of code although they are told not to, and some say first what they think. */
function withoutFence(text: string): string {
  const answer = text.replace(/^\s*<think>[\s\S]*?<\/think>/, "").trim();
  return /^```(?:json)?\s*\n([\s\S]*)\n```$/.exec(answer)?.[1] ?? answer;
}

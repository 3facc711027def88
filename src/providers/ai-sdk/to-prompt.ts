import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { isRecord, parseJson } from "../../base/index.ts";
import type {
  AssistantMessage,
  ChatMessage,
  ChatRequest,
  ImagePart,
  OpaqueData,
  ToolResultMessage,
  UserMessage,
} from "../../model/index.ts";
import { type findTemplate, fitPrompt } from "./message-template.ts";

/** How one provider takes a request. */
export interface PromptForm {
  /** The id of the model: what is opaque to any other is left out. */
  readonly id: string;
  /** Whether beginnings of requests are kept where they are marked. */
  readonly marks: boolean;
  /** The longest answer where a request does not say; absent: the API's own. */
  readonly maxTokens?: number;
  /** Whether the arguments of former calls are sent as the model wrote them, instead of as an object. */
  readonly rawCalls: boolean;
  /** Whether the model takes pictures. One that takes none is told where one is left out: its API would refuse the request. */
  readonly images: boolean;
  /** Whether the result of a tool can hold pictures; elsewhere they follow as a message of the user. */
  readonly resultImages: boolean;
  /** The family of models whose form of messages it takes. @default any form will do */
  readonly template?: ReturnType<typeof findTemplate>;
  /** Options of the package for a request. */
  readonly options: (request: ChatRequest) => SharedV4ProviderOptions | undefined;
}

const mark: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: "ephemeral" } } };

/** A request in the form that the packages take. */
export function toCallOptions(request: ChatRequest, form: PromptForm): LanguageModelV4CallOptions {
  const { tools, toolChoice, maxTokens = form.maxTokens, effort, json, signal } = request;
  // Without marks the request is made only once: writing a cache would then cost more than it saves.
  const marks = form.marks && request.system.some((part) => part.mark === true);
  const options = form.options(request);
  return {
    prompt: fitPrompt(
      [...toSystem(request, form, marks), ...toMessages(request.messages, form, marks)],
      form.template,
    ),
    abortSignal: signal,
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(effort !== undefined && { reasoning: effort === "off" ? "none" : effort }),
    ...(json !== undefined && { responseFormat: { type: "json", schema: json, name: "answer" } }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }, at) => ({
        type: "function",
        name,
        description: description.toWellFormed(),
        inputSchema: parameters,
        ...(marks && at === tools.length - 1 && { providerOptions: mark }),
      })),
      toolChoice: { type: toolChoice ?? "auto" },
    }),
    ...(options !== undefined && { providerOptions: options }),
  };
}

/** One message, unless parts of it can be marked: many templates of open models take one alone. */
function toSystem({ system }: ChatRequest, form: PromptForm, marks: boolean): LanguageModelV4Message[] {
  const parts = system.filter(({ text }) => text !== "");
  if (parts.length === 0) return [];
  if (!form.marks)
    return [{ role: "system", content: parts.map(({ text }) => text.toWellFormed()).join("\n\n") }];
  const marked = parts.findLastIndex((part) => part.mark === true);
  return parts.map(({ text }, at) => ({
    role: "system",
    content: text.toWellFormed(),
    ...(marks && at === marked && { providerOptions: mark }),
  }));
}

function toMessages(
  messages: readonly ChatMessage[],
  form: PromptForm,
  marks: boolean,
): LanguageModelV4Message[] {
  // The newest message, and the one that was the newest when the model was asked before.
  const before = messages.findLastIndex(({ role }) => role === "assistant") - 1;
  const marked = marks ? new Set([messages.length - 1, before]) : new Set<number>();
  return messages.flatMap((message, at) => {
    const made = toMessage(message, form);
    const last = made.at(-1);
    if (last !== undefined && marked.has(at)) last.providerOptions = mark;
    return made;
  });
}

function toMessage(message: ChatMessage, form: PromptForm): LanguageModelV4Message[] {
  switch (message.role) {
    case "user":
      return [toUser(message.parts, form)];
    case "assistant":
      return toAssistant(message, form);
    case "tool":
      return toResults(message, form);
    default:
      return message satisfies never;
  }
}

function toUser(
  parts: UserMessage["parts"],
  { images }: PromptForm,
): LanguageModelV4Message & { role: "user" } {
  return {
    role: "user",
    content: parts.map((part) => {
      if (part.type === "text") return { type: "text", text: part.text.toWellFormed() };
      return images ? toFile(part) : { type: "text", text: leftOut };
    }),
  };
}

const leftOut =
  "(A picture is left out here: this model takes none. With `images: true` in its configuration they are sent.)";

function toFile({ mimeType, data }: ImagePart): LanguageModelV4FilePart {
  return { type: "file", mediaType: mimeType, data: { type: "data", data } };
}

function toAssistant({ parts }: AssistantMessage, form: PromptForm): LanguageModelV4Message[] {
  const content = parts.flatMap((part): (LanguageModelV4Message & { role: "assistant" })["content"] => {
    switch (part.type) {
      case "text":
        return part.text === "" ? [] : [{ type: "text", text: part.text.toWellFormed() }];
      case "reasoning": {
        const own = readOwn(part.opaque, form);
        return own === undefined ? [] : [{ type: "reasoning", text: part.text, ...own }];
      }
      case "call":
        return [
          {
            type: "tool-call",
            toolCallId: part.id,
            toolName: part.name,
            input: toInput(part.input, form),
            ...readOwn(part.opaque, form),
          },
        ];
      default:
        return part satisfies never;
    }
  });
  return content.length === 0 ? [] : [{ role: "assistant", content }];
}

/** What the same model said that only it understands; undefined of another. */
function readOwn(
  opaque: OpaqueData | undefined,
  { id }: PromptForm,
): { providerOptions?: SharedV4ProviderOptions } | undefined {
  if (opaque?.model !== id) return undefined;
  return isRecord(opaque.data) && Object.keys(opaque.data).length > 0
    ? { providerOptions: opaque.data as SharedV4ProviderOptions }
    : {};
}

/** APIs take only an object, so other arguments are wrapped in one. */
function toInput(input: string, { rawCalls }: PromptForm): unknown {
  const read = input.trim() === "" ? {} : parseJson(input);
  if (!isRecord(read)) return { unreadable: input.toWellFormed() };
  // An escape in JSON can stand for half of a surrogate pair, which APIs refuse.
  if (halfPair.test(input)) return toWellFormed(read);
  return rawCalls && input.trim() !== "" ? input : read;
}

const halfPair = /\\ud[89a-f]|\p{Surrogate}/iu;

function toWellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(toWellFormed);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key.toWellFormed(), toWellFormed(part)]),
  );
}

function toResults({ results }: ToolResultMessage, form: PromptForm): LanguageModelV4Message[] {
  const content = results.map(
    ({ callId, name, text, images = [], failed }): LanguageModelV4ToolResultPart => {
      const value = [text.toWellFormed(), ...(form.images ? [] : images.map(() => leftOut))].join("\n");
      const shown = form.images && form.resultImages ? images : [];
      return {
        type: "tool-result",
        toolCallId: callId,
        toolName: name,
        output:
          shown.length === 0
            ? { type: failed ? "error-text" : "text", value }
            : {
                type: "content",
                value: [
                  { type: "text", text: value },
                  ...shown.map(({ mimeType, data }) => ({
                    type: "file" as const,
                    mediaType: mimeType,
                    data: { type: "data" as const, data },
                  })),
                ],
              },
      };
    },
  );
  const left = form.resultImages || !form.images ? [] : results.flatMap(({ images = [] }) => images);
  return left.length === 0
    ? [{ role: "tool", content }]
    : [
        { role: "tool", content },
        toUser([{ type: "text", text: "Pictures of the results above:" }, ...left], form),
      ];
}

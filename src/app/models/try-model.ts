import { type Clock, systemClock } from "../../base/index.ts";
import {
  type ChatModel,
  type ChatRequest,
  type ChatUsage,
  ModelError,
  type ModelFacts,
  priceCall,
} from "../../model/index.ts";

/** The result of one short request to a model. */
export interface ModelTrial {
  readonly model: string;
  readonly text: string;
  /** Whether it called the tool that it was asked to call; `refused`: its API takes no tools. */
  readonly tools: "called" | "not called" | "refused";
  /** Whether its thoughts were streamed. */
  readonly thinks: boolean;
  readonly usage: ChatUsage;
  /** Micro-USD, where that is known. */
  readonly costMicros?: number;
  /** Until the first piece of the answer, and until its end. */
  readonly firstMs: number;
  readonly wholeMs: number;
  readonly facts: Pick<ModelFacts, "contextTokens" | "maxOutputTokens" | "images" | "cache">;
}

const question =
  "Call the tool note once, with the word ready. If you have no tools, answer with the word ready.";

const note = {
  name: "note",
  description: "Note one word.",
  parameters: {
    type: "object",
    properties: { word: { type: "string", description: "The word." } },
    required: ["word"],
  },
};

/**
 * Sends a model one short request to find out what it can do. If its API takes no tools, it is asked once more without
 * them.
 *
 * @throws what the model throws.
 */
export async function tryModel(
  chat: ChatModel,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<ModelTrial> {
  try {
    return await ask(chat, [note], signal, clock);
  } catch (error) {
    if (
      !(error instanceof ModelError) ||
      error.code !== "MODEL_BAD_REQUEST" ||
      !/tool|function/i.test(error.message)
    )
      throw error;
    return { ...(await ask(chat, [], signal, clock)), tools: "refused" };
  }
}

async function ask(
  chat: ChatModel,
  tools: ChatRequest["tools"],
  signal: AbortSignal,
  clock: Clock,
): Promise<ModelTrial> {
  const begun = clock.now();
  let firstMs: number | undefined;
  let thinks = false;
  const messages = [{ role: "user", parts: [{ type: "text", text: question }] }] as const;
  for await (const event of chat.stream({ system: [], messages, tools, maxTokens: 1000, signal })) {
    firstMs ??= clock.now() - begun;
    if (event.type === "reasoning") thinks = true;
    if (event.type !== "end") continue;
    const { parts } = event.message;
    const { contextTokens, maxOutputTokens, images, cache, prices } = chat.facts;
    const { costMicros } = priceCall(event.usage, prices);
    return {
      model: event.model ?? chat.id,
      text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
      tools: parts.some((part) => part.type === "call" && part.name === note.name) ? "called" : "not called",
      thinks,
      usage: event.usage,
      ...(costMicros !== undefined && { costMicros }),
      firstMs,
      wholeMs: clock.now() - begun,
      facts: { contextTokens, maxOutputTokens, images, cache },
    };
  }
  throw new ModelError("MODEL_CUT", `Cannot use what the model "${chat.id}" answered: it has no end`);
}

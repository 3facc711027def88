import type { Clock } from "../base/index.ts";
import type {
  AssistantMessage,
  ChatEvent,
  ChatModel,
  ChatRequest,
  ChatUsage,
  ModelFacts,
} from "../model/index.ts";
import { countTokens, ModelError } from "../model/index.ts";

/** One answer of a scripted model: a text, an error to throw, or an answer in parts. */
export type ScriptedTurn = string | Error | ScriptedChatAnswer;

/** An answer in parts: thoughts first, then the text, then the calls. */
export interface ScriptedChatAnswer {
  readonly reasoning?: string;
  readonly text?: string;
  /** Arguments as JSON, or as a text that is given as it is, however broken. An id is made where none is given. */
  readonly calls?: readonly { readonly name: string; readonly input?: unknown; readonly id?: string }[];
  /** @default "calls" where there are some, and "end" otherwise */
  readonly stop?: "end" | "calls" | "length" | "refused";
  /** What is said to be used, over what is counted of the request and the answer. */
  readonly usage?: Partial<ChatUsage>;
  /** The answer stops after so many events, with `error`. */
  readonly cutAfter?: number;
  /** What is thrown where the answer is cut. @default a ModelError MODEL_CUT */
  readonly error?: Error;
  /** How long the model is silent before it answers. It takes a clock. */
  readonly delayMs?: number;
  /** How long it is silent before each piece after the first. It takes a clock. */
  readonly eachMs?: number;
  /** How many characters a piece has. @default all */
  readonly pieceChars?: number;
}

/** What a scripted model is, beside what it says. */
export interface ScriptedChatOptions {
  /** @default "scripted" */
  readonly id?: string;
  readonly facts?: Partial<ModelFacts>;
  /** On which its delays pass. @default none, and an answer with a delay is refused */
  readonly clock?: Clock;
}

/** A model that gives prepared answers, and remembers what it was asked. */
export interface ScriptedChat extends ChatModel {
  /** What it was asked, in order; as it was then, whatever became of the arrays. */
  readonly asked: readonly ChatRequest[];
  /** How many of its answers failed, or were not read to their end. */
  readonly broken: number;
  /**
   * Describes where the last request stops repeating the one before it, which is where a provider's cache breaks.
   * Undefined if it repeats all of it, or there is no earlier one.
   */
  prefixChange(): string | undefined;
}

const defaultFacts: ModelFacts = {
  contextTokens: 100_000,
  maxOutputTokens: 10_000,
  images: true,
  dialect: "openai",
  cache: "automatic",
  quota: "scripted",
};

/**
 * A model with a script: a list of turns, or a function of the request and the number of requests before.
 *
 * @example
 * ```ts
 * const chat = createScriptedChat([
 *   { text: "I look.", calls: [{ name: "read", input: { path: "a.txt" } }] },
 *   "Done.",
 * ]);
 * const { signal } = new AbortController();
 * const ask = () => chat.stream({ system: [], messages: [], tools: [], signal });
 * const said: string[] = [];
 * for await (const event of ask()) said.push(event.type);
 * said; // → ["text", "call-start", "call-delta", "end"]
 * for await (const event of ask()) if (event.type === "text") said.push(event.delta);
 * said.at(-1); // → "Done."
 * chat.prefixChange(); // → undefined
 * ```
 */
export function createScriptedChat(
  script:
    | readonly ScriptedTurn[]
    | ((request: ChatRequest, before: number) => ScriptedTurn | Promise<ScriptedTurn>),
  options: ScriptedChatOptions = {},
): ScriptedChat {
  const { id = "scripted", clock } = options;
  const asked: ChatRequest[] = [];
  let broken = 0;
  return {
    id,
    facts: { ...defaultFacts, ...options.facts },
    asked,
    get broken() {
      return broken;
    },
    prefixChange: () => findPrefixChange(asked.at(-2), asked.at(-1)),
    async *stream(request) {
      const { signal, ...rest } = request;
      signal.throwIfAborted();
      const before = asked.length;
      asked.push({ ...structuredClone(rest), signal });
      const turn = typeof script === "function" ? await script(request, before) : script[before];
      if (turn === undefined) throw new Error(`The script has no turn ${before + 1}`);
      if (turn instanceof Error) throw turn;
      const answer = typeof turn === "string" ? { text: turn } : turn;
      let ended = false;
      try {
        yield* play(answer, { id, request, before, clock });
        ended = true;
      } finally {
        if (!ended) broken++;
      }
    },
  };
}

interface Playing {
  readonly id: string;
  readonly request: ChatRequest;
  readonly before: number;
  readonly clock: Clock | undefined;
}

async function* play(answer: ScriptedChatAnswer, playing: Playing): AsyncGenerator<ChatEvent, void, void> {
  const { id, request, clock } = playing;
  const { cutAfter, delayMs = 0, eachMs = 0 } = answer;
  let count = 0;
  for (const event of toEvents(answer, playing)) {
    if (count === cutAfter)
      throw (
        answer.error ??
        new ModelError(
          "MODEL_CUT",
          `Cannot use what the model "${id}" answered: it is cut off before its end`,
        )
      );
    await wait(count === 0 ? delayMs : eachMs, request.signal, clock);
    yield event;
    request.signal.throwIfAborted();
    count++;
  }
}

function toEvents(answer: ScriptedChatAnswer, { id, request, before }: Playing): readonly ChatEvent[] {
  const { reasoning = "", text = "", pieceChars = Number.POSITIVE_INFINITY } = answer;
  const calls = (answer.calls ?? []).map(({ name, input = {}, id: given }, at) => ({
    type: "call" as const,
    id: given ?? `call-${before + 1}-${at + 1}`,
    name,
    input: typeof input === "string" ? input : JSON.stringify(input),
  }));
  const message: AssistantMessage = {
    role: "assistant",
    parts: [
      ...(reasoning === ""
        ? []
        : [{ type: "reasoning" as const, text: reasoning, opaque: { model: id, data: {} } }]),
      ...(text === "" ? [] : [{ type: "text" as const, text }]),
      ...calls,
    ],
  };
  const count = countTokens(reasoning + text + calls.map(({ input }) => input).join(""));
  const usage: ChatUsage = {
    inputTokens: countTokens(joinPrefix(request)),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: count,
    reasoningTokens: countTokens(reasoning),
    ...answer.usage,
  };
  return [
    ...pieces(reasoning, pieceChars).map((delta) => ({ type: "reasoning" as const, delta })),
    ...pieces(text, pieceChars).map((delta) => ({ type: "text" as const, delta })),
    ...calls.flatMap((call) => [
      { type: "call-start" as const, id: call.id, name: call.name },
      ...pieces(call.input, pieceChars).map((delta) => ({ type: "call-delta" as const, id: call.id, delta })),
    ]),
    { type: "end", stop: answer.stop ?? (calls.length > 0 ? "calls" : "end"), message, usage, model: id },
  ];
}

function pieces(text: string, chars: number): readonly string[] {
  if (text.length <= chars) return text === "" ? [] : [text];
  return [text.slice(0, chars), ...pieces(text.slice(chars), chars)];
}

function wait(ms: number, signal: AbortSignal, clock: Clock | undefined): Promise<void> {
  if (ms === 0) return Promise.resolve();
  if (clock === undefined) throw new Error("The script has a delay, and no clock on which it could pass");
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener("abort", giveUp);
      resolve();
    });
    signal.addEventListener("abort", giveUp, { once: true });
    if (signal.aborted) giveUp();
  });
}

/** What a provider would cache of a request: the tools, the instructions and the messages, in this order. */
function joinPrefix({ tools, system, messages }: ChatRequest): string {
  return listPrefix({ tools, system, messages })
    .map(({ text }) => text)
    .join("\n");
}

function listPrefix({ tools, system, messages }: Pick<ChatRequest, "tools" | "system" | "messages">) {
  const list = (what: string, parts: readonly unknown[]) =>
    parts.map((part, at) => ({ what: `${what} ${at + 1}`, text: JSON.stringify(part) }));
  return [...list("tool", tools), ...list("system part", system), ...list("message", messages)];
}

function findPrefixChange(before: ChatRequest | undefined, now: ChatRequest | undefined): string | undefined {
  if (before === undefined || now === undefined) return undefined;
  if (now.tools.length !== before.tools.length)
    return `there were ${before.tools.length} tools, and are ${now.tools.length}`;
  if (now.system.length !== before.system.length)
    return `there were ${before.system.length} system parts, and are ${now.system.length}`;
  const after = listPrefix(now);
  for (const [at, { what, text }] of listPrefix(before).entries()) {
    const next = after[at];
    if (next === undefined) return `${what} is no longer there`;
    if (next.text !== text) return `${what} was ${text}, and is ${next.text}`;
  }
  return undefined;
}

import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { lazy } from "../../base/index.ts";
import {
  type ChatEvent,
  type ChatModel,
  type ChatRequest,
  ModelError,
  type ModelFacts,
} from "../../model/index.ts";
import { toApiUrl } from "../post-json.ts";
import type { ChatModelSettings } from "../provider-entry.ts";
import { fetchOver, type RefusedAnswer } from "./fetch-over.ts";
import { findTemplate } from "./message-template.ts";
import { type AskedModel, toModelError, toRefusal } from "./to-error.ts";
import { EventReader } from "./to-event.ts";
import { type PromptForm, toCallOptions } from "./to-prompt.ts";

/** What a package is opened with. */
export interface SdkOptions {
  readonly baseUrl: string;
  /** The query of the configured address. */
  readonly query: Record<string, string>;
  readonly settings: ChatModelSettings;
  readonly fetch: ReturnType<typeof fetchOver>;
}

/** How the models of one provider are asked over its package. */
export interface SdkProvider {
  readonly id: string;
  /** The name of its package. */
  readonly package: string;
  /** The address of its API; absent where there are as many as servers. */
  readonly baseUrl?: string;
  /** What the API's address has behind that. */
  readonly path: string;
  readonly dialect: ModelFacts["dialect"];
  readonly cache: ModelFacts["cache"];
  /** The headers that carry the key. */
  readonly authorize: (key: string) => Readonly<Record<string, string>>;
  readonly form: Omit<PromptForm, "id" | "marks" | "maxTokens" | "images" | "template">;
  /** Whether it serves models of many families, each with its own form of messages. @default false */
  readonly hasTemplates?: boolean;
  /** Whether its API requires a limit for the answer. @default false */
  readonly wantsMaxTokens?: boolean;
  /** The events of an answer that came whole. @default it is no answer */
  readonly split?: (answer: RefusedAnswer) => string | undefined;
  readonly open: (options: SdkOptions) => Promise<LanguageModelV4>;
}

/** Facts that are assumed of an unknown model. */
const unknownContextTokens = 32_000;
const unknownOutputTokens = 4096;

/**
 * A model of one provider. Its package is loaded at the first request. Nothing is asked twice here: who asks knows
 * whether it can wait.
 *
 * @throws {ModelError} MODEL_SETUP for an address that is none, or holds credentials.
 */
export function openSdkModel(provider: SdkProvider, settings: ChatModelSettings): ChatModel {
  return new SdkChatModel(provider, settings);
}

/**
 * Loads the package of a provider.
 *
 * @throws {ModelError} MODEL_PACKAGE
 */
export async function checkSdkProvider({ open }: SdkProvider): Promise<void> {
  const never = () => Promise.reject(new Error("nobody is asked"));
  const connector = { origin: never, open: never, request: never };
  const settings = { connector, model: "none", setting: "models" };
  await open({ baseUrl: "http://127.0.0.1", query: {}, settings, fetch: never });
}

class SdkChatModel implements ChatModel {
  readonly id: string;
  readonly facts: ModelFacts;
  readonly #asked: AskedModel;
  readonly #form: PromptForm;
  readonly #sdk: () => Promise<LanguageModelV4>;

  constructor(provider: SdkProvider, settings: ChatModelSettings) {
    const { model, connector, setting, keyRemedy, facts = {} } = settings;
    const baseUrl = settings.baseUrl ?? provider.baseUrl;
    if (baseUrl === undefined)
      throw new ModelError(
        "MODEL_SETUP",
        `Cannot use the model "${model}": ${setting} has no url; give that of its API`,
        { details: { retry: false } },
      );
    const url = toApiUrl(baseUrl, provider.path, "chat");
    const { origin, pathname, searchParams } = new URL(toApiUrl(baseUrl, "", "chat"));
    const root = `${origin}${pathname}`.replace(/\/+$/, "");
    let sent: string | undefined;
    this.#asked = {
      model,
      url,
      path: provider.path,
      setting,
      key: () => sent,
      ...(keyRemedy !== undefined && { keyRemedy }),
    };
    this.id = `${provider.id}/${model}`;
    this.facts = {
      contextTokens: unknownContextTokens,
      maxOutputTokens: unknownOutputTokens,
      images: false,
      cache: provider.cache,
      quota: root,
      ...facts,
      dialect: provider.dialect,
    };
    this.#form = {
      ...provider.form,
      id: this.id,
      marks: this.facts.cache === "marks",
      images: this.facts.images,
      template: provider.hasTemplates === true ? findTemplate(settings) : undefined,
      ...(provider.wantsMaxTokens === true && { maxTokens: this.facts.maxOutputTokens }),
    };
    const fetch = fetchOver(connector, {
      origin,
      elsewhere: (asked) =>
        new ModelError(
          "MODEL_SETUP",
          `Cannot ask the model "${model}" at "${asked}": ${setting} is set up for "${origin}" alone; give the url that leads there`,
          { details: { retry: false } },
        ),
      authorize: async () => {
        sent = await settings.apiKey?.();
        return sent === undefined || sent === "" ? {} : provider.authorize(sent);
      },
      refuse: (answer) => toRefusal(answer, this.#asked),
      split: (answer) => splitWhole(answer, provider, this.#asked),
      tooLarge: (url) =>
        new ModelError(
          "MODEL_ANSWER",
          `Cannot use what "${url}" answered for the model "${model}": it is larger than is read; ask for a shorter answer`,
        ),
    });
    this.#sdk = lazy(() =>
      provider.open({ baseUrl: root, query: Object.fromEntries(searchParams), settings, fetch }),
    );
  }

  async *stream(request: ChatRequest): AsyncGenerator<ChatEvent, void, void> {
    request.signal.throwIfAborted();
    const left = new AbortController();
    const signal = AbortSignal.any([request.signal, left.signal]);
    const reader = new EventReader(this.id, this.#asked);
    try {
      const sdk = await untilAborted(this.#sdk(), request.signal);
      const options = toCallOptions({ ...request, signal }, this.#form);
      const { stream } = await untilAborted(sdk.doStream(options), request.signal);
      for await (const part of readParts(stream, request.signal)) yield* reader.read(part);
      yield reader.end();
    } catch (thrown) {
      request.signal.throwIfAborted();
      throw toModelError(thrown, this.#asked);
    } finally {
      left.abort(new Error("nobody reads on"));
    }
  }
}

/** The parts of a stream until the signal is aborted: a package may react to that late. */
async function* readParts(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  signal: AbortSignal,
): AsyncGenerator<LanguageModelV4StreamPart, void, void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await untilAborted(reader.read(), signal);
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

async function untilAborted<Value>(pending: PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener("abort", giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([pending, promise]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

function splitWhole(answer: RefusedAnswer, { split }: SdkProvider, asked: AskedModel): string {
  const events = split?.(answer);
  if (events !== undefined) return events;
  throw noAnswer(answer, asked);
}

function noAnswer(answer: RefusedAnswer, asked: AskedModel): Error {
  return toModelError(Object.assign(new Error("it is no stream"), { value: answer.body }), asked);
}

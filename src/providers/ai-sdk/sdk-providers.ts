import type { LanguageModelV4 } from "@ai-sdk/provider";
import { loadPackage } from "./load-package.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import type { SdkProvider } from "./sdk-chat-model.ts";

/** Placeholder for the key. The real one replaces it when a request is sent. */
const placeholder = "haft";

const anthropic: SdkProvider = {
  id: "anthropic",
  package: "@ai-sdk/anthropic",
  baseUrl: "https://api.anthropic.com/v1",
  path: "/messages",
  dialect: "anthropic",
  cache: "marks",
  authorize: (key) => ({ "x-api-key": key }),
  form: { rawCalls: false, resultImages: true, options: () => undefined },
  wantsMaxTokens: true,
  async open({ baseUrl, settings, fetch }) {
    const { createAnthropic } = await loadPackage(
      "@ai-sdk/anthropic",
      "anthropic",
      () => import("@ai-sdk/anthropic"),
    );
    return createAnthropic({ baseURL: baseUrl, apiKey: placeholder, fetch }).languageModel(settings.model);
  },
};

/** OpenAI's own API, which keeps nothing and sends thoughts back encrypted. */
const openai: SdkProvider = {
  id: "openai",
  package: "@ai-sdk/openai",
  baseUrl: "https://api.openai.com/v1",
  path: "/responses",
  dialect: "openai",
  cache: "automatic",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  form: {
    rawCalls: false,
    resultImages: true,
    options: ({ cacheKey }) => ({
      openai: {
        store: false,
        strictJsonSchema: false,
        ...(cacheKey !== undefined && { promptCacheKey: cacheKey }),
      },
    }),
  },
  async open({ baseUrl, settings, fetch }) {
    const { createOpenAI } = await loadPackage("@ai-sdk/openai", "openai", () => import("@ai-sdk/openai"));
    return createOpenAI({ baseURL: baseUrl, apiKey: placeholder, fetch }).responses(settings.model);
  },
};

const google: SdkProvider = {
  id: "google",
  package: "@ai-sdk/google",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  path: "/models",
  dialect: "gemini",
  cache: "automatic",
  authorize: (key) => ({ "x-goog-api-key": key }),
  form: { rawCalls: false, resultImages: true, options: () => undefined },
  async open({ baseUrl, settings, fetch }) {
    const { createGoogle } = await loadPackage("@ai-sdk/google", "google", () => import("@ai-sdk/google"));
    return createGoogle({ baseURL: baseUrl, apiKey: placeholder, fetch }).languageModel(settings.model);
  },
};

/** The part of the package that is used here, since its own types exist only where it is installed. */
interface OpenRouterModule {
  readonly createOpenRouter: (options: {
    readonly baseURL: string;
    readonly apiKey: string;
    readonly fetch: unknown;
  }) => { chat(model: string, settings: { readonly usage: { readonly include: true } }): LanguageModelV4 };
}

/** Optional, and so not known to the compiler. */
const openrouterPackage: string = "@openrouter/ai-sdk-provider";

const openrouter: SdkProvider = {
  id: "openrouter",
  package: openrouterPackage,
  baseUrl: "https://openrouter.ai/api/v1",
  path: "/chat/completions",
  dialect: "openai",
  cache: "automatic",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  form: { rawCalls: false, resultImages: false, options: () => undefined },
  hasTemplates: true,
  async open({ baseUrl, settings, fetch }) {
    const load = () => import(openrouterPackage) as Promise<OpenRouterModule>;
    const { createOpenRouter } = await loadPackage(openrouterPackage, "openrouter", load);
    return createOpenRouter({ baseURL: baseUrl, apiKey: placeholder, fetch }).chat(settings.model, {
      usage: { include: true },
    });
  },
};

/** Every provider that is asked over a package of the AI SDK. */
export const sdkProviders: readonly SdkProvider[] = [openaiCompatible, anthropic, openai, google, openrouter];

import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import { isRecord, parseJson } from "../../base/index.ts";
import type { ChatModelSettings } from "../provider-entry.ts";
import type { RefusedAnswer } from "./fetch-over.ts";
import { loadPackage } from "./load-package.ts";
import type { SdkProvider } from "./sdk-chat-model.ts";

/** Any API compatible with OpenAI's `/chat/completions`, including local servers. */
export const openaiCompatible: SdkProvider = {
  id: "openai-compatible",
  package: "@ai-sdk/openai-compatible",
  path: "/chat/completions",
  dialect: "openai",
  cache: "automatic",
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  form: { rawCalls: true, resultImages: false, options: () => undefined },
  hasTemplates: true,
  split: splitCompletion,
  async open({ baseUrl, query, settings, fetch }) {
    const { createOpenAICompatible } = await loadPackage(
      "@ai-sdk/openai-compatible",
      "openai-compatible",
      () => import("@ai-sdk/openai-compatible"),
    );
    return createOpenAICompatible({
      name: "openaiCompatible",
      baseURL: baseUrl,
      queryParams: query,
      fetch,
      includeUsage: true,
      supportsStructuredOutputs: (settings.jsonBy ?? "json_schema") === "json_schema",
      transformRequestBody: (body) => mendBody(body, settings),
      convertUsage,
    }).languageModel(settings.model);
  },
};

function mendBody(
  body: Readonly<Record<string, unknown>>,
  { jsonBy, maxTokensField = "max_tokens" }: ChatModelSettings,
): Record<string, unknown> {
  const { max_tokens: maxTokens, response_format: format, ...rest } = body;
  return {
    ...rest,
    ...(maxTokens !== undefined && { [maxTokensField]: maxTokens }),
    ...(format !== undefined && jsonBy !== "words" && { response_format: withoutStrict(format) }),
  };
}

/** A schema with optional properties can't be enforced strictly: APIs refuse it then. */
function withoutStrict(format: unknown): unknown {
  const schema = isRecord(format) ? format["json_schema"] : undefined;
  if (!isRecord(format) || !isRecord(schema)) return format;
  const { strict: _, ...rest } = schema;
  return { ...format, json_schema: rest };
}

interface CompatibleUsage {
  readonly [field: string]: unknown;
  readonly prompt_tokens?: number | null | undefined;
  readonly completion_tokens?: number | null | undefined;
  readonly total_tokens?: number | null | undefined;
}

/** Some APIs count thoughts separately from the answer, and have their own names for cached tokens. */
function convertUsage(usage: CompatibleUsage | null | undefined): LanguageModelV4Usage {
  const count = (value: unknown) => (typeof value === "number" && value > 0 ? value : 0);
  const details = (name: string) => (isRecord(usage?.[name]) ? (usage[name] as Record<string, unknown>) : {});
  const input = count(usage?.prompt_tokens);
  const said = count(usage?.completion_tokens);
  const reasoning = count(details("completion_tokens_details")["reasoning_tokens"]);
  const isBeside = reasoning > said || count(usage?.total_tokens) === input + said + reasoning;
  const output = isBeside ? said + reasoning : said;
  const { cached_tokens: cached, cache_write_tokens: cacheWrite } = details("prompt_tokens_details");
  const cacheRead = count(cached ?? usage?.["prompt_cache_hit_tokens"] ?? usage?.["cached_tokens"]);
  return {
    inputTokens: {
      total: input,
      noCache: input - cacheRead,
      cacheRead,
      cacheWrite: count(cacheWrite),
    },
    outputTokens: { total: output, text: output - reasoning, reasoning },
    raw: { ...usage } as NonNullable<LanguageModelV4Usage["raw"]>,
  };
}

/**
 * The one event that says what a whole answer does: some servers answer whole though a stream was asked for. Undefined
 * where it is no answer.
 */
function splitCompletion({ body }: RefusedAnswer): string | undefined {
  const answer = parseJson(body);
  const choices = isRecord(answer) ? answer["choices"] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isRecord(choice) ? choice["message"] : undefined;
  if (!isRecord(answer) || !isRecord(choice) || !isRecord(message)) return undefined;
  const { content, refusal, tool_calls: calls } = message;
  if ([content, refusal].every((text) => text === null || text === undefined) && !Array.isArray(calls))
    return undefined;
  const delta = {
    ...message,
    ...(Array.isArray(calls) && { tool_calls: calls.map((call: object, index) => ({ index, ...call })) }),
  };
  const finish = choice["finish_reason"] ?? "stop";
  const event = { ...answer, choices: [{ index: 0, delta, finish_reason: finish }] };
  return `data: ${JSON.stringify(event)}\n\ndata: [DONE]\n\n`;
}

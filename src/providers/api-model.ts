import { type Clock, systemClock } from "../base/index.ts";
import type { Connector } from "../host/index.ts";
import type { Model, ModelAnswer, ModelMessage, ModelRequest } from "../model/index.ts";
import { postJson, toApiUrl } from "./post-json.ts";
import { readCompletion } from "./read-completion.ts";
import { type ApiUse, refused } from "./refused.ts";

export interface ApiModelOptions {
  readonly connector: Pick<Connector, "origin" | "request">;
  /**
   * The address of the API, up to what comes before `/chat/completions`: `https://api.openai.com/v1`,
   * `http://127.0.0.1:11434/v1`.
   */
  readonly baseUrl: string;
  readonly model: string;
  /** Asked before each request. Absent: the API wants none. */
  readonly apiKey?: () => Promise<string>;
  /**
   * How the API is told that JSON is wanted: by its schema, as JSON of any form, or in words alone, which every API
   * understands. The schema is in the words too. @default "json_schema"
   */
  readonly jsonBy?: "json_schema" | "json_object" | "words";
  /** What the API calls the most tokens of an answer. @default "max_tokens" */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  /** The deadline of one request. @default 120,000 */
  readonly timeoutMs?: number;
  /** The setting with which a person sets it up, as an error names it. @default "memory.model" */
  readonly setting?: string;
  readonly clock?: Clock;
}

const maxAnswerBytes = 8_000_000;

/**
 * A model over any API that speaks as OpenAI's does at `/chat/completions`. Only the address it is made for is reached.
 * Nothing is asked twice: who asks knows whether it can wait.
 *
 * @throws {ModelError} MODEL_SETUP for an address that is none, or holds credentials.
 */
export function createApiModel(options: ApiModelOptions): Model {
  const { connector, baseUrl, model, timeoutMs = 120_000, clock = systemClock } = options;
  const use: ApiUse = {
    task: `ask the model "${model}"`,
    path: "/chat/completions",
    setting: options.setting ?? "memory.model",
  };
  const url = toApiUrl(baseUrl, use.path, "chat");
  return {
    id: `${model} at ${new URL(url).host}`,
    async complete(request: ModelRequest): Promise<ModelAnswer> {
      request.signal.throwIfAborted();
      const apiKey = await options.apiKey?.();
      const answer = await postJson({
        connector,
        url,
        apiKey,
        body: toBody(request, options),
        maxAnswerBytes,
        timeoutMs,
        clock,
        signal: request.signal,
        use,
      });
      if (answer.status !== 200) throw refused(answer, apiKey, use);
      return readCompletion(answer, { model, wantsJson: request.json !== undefined });
    },
  };
}

function toBody({ messages, maxTokens, json, ...request }: ModelRequest, options: ApiModelOptions): object {
  const { model, jsonBy = "json_schema", maxTokensField = "max_tokens" } = options;
  const system = [
    request.system,
    json && `Answer with JSON alone, without a code fence, like this schema: ${JSON.stringify(json)}`,
  ].filter((part) => part !== undefined);
  const formats = {
    json_schema: { type: "json_schema", json_schema: { name: "answer", schema: json } },
    json_object: { type: "json_object" },
    words: undefined,
  };
  const format = json && formats[jsonBy];
  return {
    model,
    messages: [
      ...(system.length === 0 ? [] : [{ role: "system", content: system.join("\n\n").toWellFormed() }]),
      ...messages.map(toMessage),
    ],
    ...(maxTokens !== undefined && { [maxTokensField]: maxTokens }),
    ...(format !== undefined && { response_format: format }),
  };
}

function toMessage({ role, text }: ModelMessage): object {
  return { role, content: text.toWellFormed() };
}

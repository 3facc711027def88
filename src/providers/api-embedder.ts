import { type Clock, cutHead, pause, systemClock } from "../base/index.ts";
import type { Connector, HttpResponse } from "../host/index.ts";
import type { Embedder } from "../search/index.ts";
import { postJson, toApiUrl } from "./post-json.ts";
import { readVectors } from "./read-vectors.ts";
import { type ApiUse, findRetryDelay, refused } from "./refused.ts";

export interface ApiEmbedderOptions {
  readonly connector: Pick<Connector, "origin" | "request">;
  /**
   * The address of the API, up to what comes before `/embeddings`: `https://api.openai.com/v1`,
   * `http://127.0.0.1:11434/v1`.
   */
  readonly baseUrl: string;
  readonly model: string;
  /** Asked before each request. Absent: the API wants none. */
  readonly apiKey?: () => Promise<string>;
  /** How many numbers a vector is to have, where the model leaves a choice. */
  readonly dimensions?: number;
  /** The deadline of one request. @default 60,000 */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

const batchSize = 64;
/**
 * The longest text, in characters. APIs refuse what is longer than their model reads: 8,192 tokens for most,
 * 512 for some.
 */
const maxTextChars = 2000;
/** 64 vectors of 4,096 numbers are some 6 MB of JSON. */
const maxAnswerBytes = 32_000_000;
const maxAttempts = 4;
const use: ApiUse = { task: "embed texts", path: "/embeddings", setting: "tools.search" };

/**
 * An embedder over any API that speaks as OpenAI's does at `/embeddings`. Only the address it is made for is reached,
 * through the connector; it may be of this machine or net, since the owner named it.
 *
 * @throws {ModelError} MODEL_SETUP for an address that is none, or holds credentials.
 */
export function createApiEmbedder(options: ApiEmbedderOptions): Embedder {
  return new ApiEmbedder(options);
}

class ApiEmbedder implements Embedder {
  readonly id: string;
  readonly #options: ApiEmbedderOptions;
  readonly #clock: Clock;
  readonly #url: string;

  constructor(options: ApiEmbedderOptions) {
    const { baseUrl, model, dimensions, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#url = toApiUrl(baseUrl, use.path, "embeddings");
    this.id = [this.#url, model, dimensions ?? "", maxTextChars].join(" ");
  }

  async embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = [];
    for (let start = 0; start < texts.length; start += batchSize) {
      const batch = texts.slice(start, start + batchSize).map(toInput);
      vectors.push(...(await this.#embedBatch(batch, signal)));
    }
    return vectors;
  }

  async #embedBatch(input: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]> {
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted();
      const apiKey = await this.#options.apiKey?.();
      const answer = await this.#send(input, apiKey, signal);
      if (answer.status === 200) return readVectors(answer, input.length, this.#options.model);
      const delayMs = findRetryDelay(answer, attempt);
      if (delayMs === undefined || attempt === maxAttempts) throw refused(answer, apiKey, use);
      await pause(this.#clock, delayMs, signal);
    }
  }

  #send(
    input: readonly string[],
    apiKey: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<HttpResponse> {
    const { connector, model, dimensions, timeoutMs = 60_000 } = this.#options;
    return postJson({
      connector,
      url: this.#url,
      apiKey,
      body: { model, input, encoding_format: "float", ...(dimensions && { dimensions }) },
      maxAnswerBytes,
      timeoutMs,
      clock: this.#clock,
      signal,
      use,
    });
  }
}

/** No API takes an empty text. */
function toInput(text: string): string {
  return cutHead(text.toWellFormed(), maxTextChars) || " ";
}

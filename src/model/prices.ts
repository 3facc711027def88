import type { ChatUsage, ModelPrices } from "./chat-model.ts";
import known from "./prices.json" with { type: "json" };

/** Prices as providers write them and the configuration takes them: USD for a million tokens. */
export interface UsdPrices {
  readonly input: number;
  readonly output: number;
  /** @default the price of input */
  readonly cacheRead?: number;
  /** @default the price of input */
  readonly cacheWrite?: number;
}

/** Prices in USD as the micro-USD that calls are counted in. */
export function toModelPrices({
  input,
  output,
  cacheRead = input,
  cacheWrite = input,
}: UsdPrices): ModelPrices {
  const micros = (usd: number) => Math.round(usd * 1_000_000);
  return {
    input: micros(input),
    cacheRead: micros(cacheRead),
    cacheWrite: micros(cacheWrite),
    output: micros(output),
  };
}

interface KnownProvider {
  readonly models: Readonly<Record<string, UsdPrices>>;
}

const providers: Readonly<Record<string, KnownProvider>> = known;

/**
 * The prices of a well-known model, from the table that haft ships with; undefined for any other.
 *
 * @param modelId Provider and name, as in {@link ChatModel.id}: `anthropic/claude-opus-5`, dated or not.
 */
export function findPrices(modelId: string): ModelPrices | undefined {
  const [, provider = "", name = ""] = /^([^/]+)\/(.+)$/.exec(modelId) ?? [];
  const models = Object.hasOwn(providers, provider) ? providers[provider]?.models : undefined;
  if (models === undefined) return undefined;
  // Anthropic dates its models, and the price of a name is that of each date.
  const undated = provider === "anthropic" ? name.replace(/-\d{8}$/, "") : name;
  const prices = Object.hasOwn(models, undated) ? models[undated] : undefined;
  return prices && toModelPrices(prices);
}

/** The cost of one call. `provider`: the provider said it. `table`: from prices. `no`: the price is not known. */
export type CallCost =
  | { readonly costMicros: number; readonly priced: "provider" | "table" }
  | { readonly costMicros: undefined; readonly priced: "no" };

/**
 * The cost of a call in whole micro-USD, rounded up. Each token counts once: what a cache served or took is a part of the
 * input, and thoughts are a part of the output.
 *
 * @example
 * ```ts
 * const prices = { input: 3_000_000, cacheRead: 300_000, cacheWrite: 3_750_000, output: 15_000_000 };
 * const none = { cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
 * const usage = { ...none, inputTokens: 1_000, cacheReadTokens: 800, outputTokens: 10 };
 * priceCall(usage, prices).costMicros; // → 990
 * priceCall(usage, undefined).priced; // → "no"
 * ```
 */
export function priceCall(usage: ChatUsage, prices: ModelPrices | undefined): CallCost {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, costMicros } = usage;
  if (costMicros !== undefined) return { costMicros: Math.ceil(costMicros), priced: "provider" };
  // If a provider counts no tokens, the cost is unknown, and not 0.
  if (prices === undefined || inputTokens + outputTokens === 0)
    return { costMicros: undefined, priced: "no" };
  const read = Math.min(cacheReadTokens, inputTokens);
  const written = Math.min(cacheWriteTokens, inputTokens - read);
  const cost =
    (inputTokens - read - written) * prices.input +
    read * prices.cacheRead +
    written * prices.cacheWrite +
    outputTokens * prices.output;
  return { costMicros: Math.ceil(cost / 1_000_000), priced: "table" };
}

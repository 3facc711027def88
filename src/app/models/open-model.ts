import { createConnector } from "../../host/index.ts";
import type { ChatModel } from "../../model/index.ts";
import type { NamedModelConfig } from "../config/config-types.ts";
import { Models } from "./models.ts";

/** A model to open: the fields of an entry of `models` in the configuration. */
export interface ModelSettings extends Omit<NamedModelConfig, "fallback" | "onRefusal" | "apiKey"> {
  /** The key itself. */
  readonly apiKey?: string | undefined;
}

/**
 * Opens a model without a configuration, with retries and deadlines. `chainModels()` adds fallbacks. Nothing is
 * connected before the first request.
 *
 * @throws {ModelError} MODEL_SETUP
 *
 * @example
 * ```ts
 * const model = await openModel({
 *   provider: "openai-compatible",
 *   url: "http://127.0.0.1:11434/v1",
 *   model: "qwen3",
 *   contextTokens: 32_768,
 * });
 * model.id; // → "openai-compatible/qwen3"
 * ```
 */
export function openModel({ apiKey, ...settings }: ModelSettings): Promise<ChatModel> {
  const services = {
    connector: createConnector(),
    secrets: { get: () => Promise.resolve(undefined) },
    redact: (text: string) => text,
  };
  const config = { ...settings, ...(apiKey !== undefined && { apiKey }) };
  return new Models({ models: { [settings.model]: config } }, services).open(settings.model);
}
